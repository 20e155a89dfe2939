import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'

interface TableProps extends ComponentProps<'table'> {
  /** For a table that may scroll and has nothing in it to put the focus on: names its frame, which then can be scrolled with the keyboard. */
  frameLabel?: string
  frameClassName?: string
}

/** A table. What is too wide scrolls in its own frame, never the page. */
export function Table({ className, frameLabel, frameClassName, ...rest }: TableProps) {
  const focusable = frameLabel === undefined ? {} : { role: 'region', tabIndex: 0, 'aria-label': frameLabel }
  return (
    <div {...focusable} className={cn('-mx-1 overflow-x-auto px-1', frameClassName)}>
      <table className={cn('w-full border-collapse text-left', className)} {...rest} />
    </div>
  )
}

// What stands between two columns is the second one's: some are hidden where there is little room, and the last that is left
// ends where the table does.
const between = 'pl-4 first:pl-0'

/** A column's head; with `figures` it stands over numbers, on the right. */
export function Th({ figures = false, className, ...rest }: ComponentProps<'th'> & { figures?: boolean }) {
  return (
    <th
      scope="col"
      className={cn(
        'h-9 whitespace-nowrap border-b font-normal text-second text-sm',
        between,
        figures && 'text-right',
        className,
      )}
      {...rest}
    />
  )
}

/** A cell; with `figures` a number, on the right, every digit equally wide. */
export function Td({ figures = false, className, ...rest }: ComponentProps<'td'> & { figures?: boolean }) {
  return (
    <td
      className={cn(
        'h-[37px] border-line-soft border-b py-2 [tr:last-child>&]:border-b-0',
        between,
        figures && 'figures whitespace-nowrap text-right',
        className,
      )}
      {...rest}
    />
  )
}
