import { cn } from '../cn.ts'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  code: string
  /** What it is; stands above it, and names its copy button. */
  label: string
  className?: string
}

/** Code to be copied. Long lines scroll inside it. */
export function CodeBlock({ code, label, className }: CodeBlockProps) {
  return (
    <div className={cn('min-w-0 rounded-md border bg-page', className)}>
      <div className="flex items-center justify-between gap-3 border-line-soft border-b py-0.5 pr-0.5 pl-3 text-second text-sm">
        <span className="truncate">{label}</span>
        <CopyButton text={code} label={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard */}
      <pre tabIndex={0} role="region" aria-label={label} className="overflow-x-auto rounded-b-md px-3 py-2.5 font-mono leading-[18px]">
        <code>{code}</code>
      </pre>
    </div>
  )
}
