import { cn } from '../cn.ts'

/** Code as it is written. What is too long scrolls inside it. */
export const Code = ({ code, className }: { code: string; className?: string }) => (
  <pre
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard
    tabIndex={0}
    className={cn('overflow-auto rounded-b-md px-3 py-2.5 font-mono leading-[18px]', className)}
  >
    <code>{code}</code>
  </pre>
)
