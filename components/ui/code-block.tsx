import { cn } from '../cn.ts'
import { Code } from './code.tsx'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  code: string
  /** The heading above the code, which also names the copy button. */
  label: string
  className?: string
}

/** A code block with a heading and a copy button. */
export function CodeBlock({ code, label, className }: CodeBlockProps) {
  return (
    <div className={cn('min-w-0 rounded-md border bg-page', className)}>
      <div className="flex items-center justify-between gap-3 border-line-soft border-b py-0.5 pr-0.5 pl-3 text-second text-sm">
        <span className="truncate">{label}</span>
        <CopyButton text={code} label={label} />
      </div>
      <Code code={code} className="max-h-96" />
    </div>
  )
}
