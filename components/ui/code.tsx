import { cn } from '../cn.ts'
import { enumerate } from '../enumerate.ts'
import { highlight } from './highlight.ts'

const tokenStyles = { plain: '', string: 'text-accent', comment: 'text-second', word: 'font-medium' } as const

/** A code block. Long lines scroll inside it. With `coloured`, it has syntax highlighting. */
export const Code = ({ code, coloured = false, className }: { code: string; coloured?: boolean; className?: string }) => (
  <pre
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable with the keyboard
    tabIndex={0}
    className={cn('overflow-auto rounded-b-md px-3 py-2.5 font-mono leading-[18px]', className)}
  >
    <code>
      {coloured
        ? enumerate(highlight(code)).map(({ place, value: { kind, text } }) =>
            kind === 'plain' ? (
              text
            ) : (
              <span key={place} className={tokenStyles[kind]}>
                {text}
              </span>
            ),
          )
        : code}
    </code>
  </pre>
)
