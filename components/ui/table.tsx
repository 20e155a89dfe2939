import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'

interface TableProps extends ComponentProps<'table'> {
  /**
   * For a table that may scroll and contains nothing focusable: names its frame, which can then be scrolled with the keyboard.
   */
  frameLabel?: string
  frameClassName?: string
}

/** A table. If it is too wide, it scrolls in its own frame and never the page. */
export function Table({ className, frameLabel, frameClassName, ...rest }: TableProps) {
  const focusable = frameLabel === undefined ? {} : { role: 'region', tabIndex: 0, 'aria-label': frameLabel }
  return (
    <div {...focusable} className={cn('-mx-1 overflow-x-auto px-1', frameClassName)}>
      <table className={cn('w-full border-collapse text-left', className)} {...rest} />
    </div>
  )
}

// The space between two columns belongs to the second one. Some columns are hidden on narrow screens, and the last visible one
// then still ends at the table's edge.
const columnGap = 'pl-4 first:pl-0'

/** A column head. With `figures` it is right-aligned, for a column of numbers. */
export function Th({ figures = false, className, ...rest }: ComponentProps<'th'> & { figures?: boolean }) {
  return (
    <th
      scope="col"
      className={cn(
        'h-9 whitespace-nowrap border-b font-normal text-second text-sm',
        columnGap,
        figures && 'text-right',
        className,
      )}
      {...rest}
    />
  )
}

/** A cell. With `figures` it is right-aligned with digits of equal width. */
export function Td({ figures = false, className, ...rest }: ComponentProps<'td'> & { figures?: boolean }) {
  return (
    <td
      className={cn(
        'h-[37px] border-line-soft border-b py-2 [tr:last-child>&]:border-b-0',
        columnGap,
        figures && 'figures whitespace-nowrap text-right',
        className,
      )}
      {...rest}
    />
  )
}
