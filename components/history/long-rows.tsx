'use client'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { RequestRow } from '#lib/contracts/requests'

const ROW_PX = 37
/** Drawn above and below what is in sight, for those who go from row to row with the Tab key. */
const SPARE_ROWS = 20
const COLUMNS = 7

/** What can be asked of a list of which only a part is drawn. */
export interface RowsHandle {
  /** Brings a row into sight, and draws it. */
  show(index: number): void
}

/** How a line is measured, and where it stands among all of them: the head of the table is the first. */
export interface MeasuredLine {
  ref: (line: HTMLTableRowElement | null) => void
  'data-index': number
  'aria-rowindex': number
}

export interface LongRowsProps {
  rows: readonly RequestRow[]
  handle?: Ref<RowsHandle>
  draw: (row: RequestRow, measured: MeasuredLine) => ReactNode
}

const Gap = ({ height }: { height: number }) =>
  height <= 0 ? null : (
    <tr aria-hidden>
      <td colSpan={COLUMNS} style={{ height, padding: 0 }} />
    </tr>
  )

/** The body of a table of which only the rows near the window are drawn: thousands cost as little as a screenful. */
export function LongRows({ rows, handle, draw }: LongRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: SPARE_ROWS,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  // What stands above the list can grow and shrink.
  useLayoutEffect(() => {
    const place = () => setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    place()
    const observer = new ResizeObserver(place)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  useImperativeHandle(handle, () => ({ show: (index) => list.scrollToIndex(index, { align: 'auto' }) }), [list])
  const drawn = list.getVirtualItems()
  return (
    <tbody ref={body}>
      <Gap height={(drawn[0]?.start ?? top) - top} />
      {drawn.map(({ index }) => {
        const row = rows[index]
        const line = { ref: list.measureElement, 'data-index': index, 'aria-rowindex': index + 2 }
        return row === undefined ? null : draw(row, line)
      })}
      <Gap height={list.getTotalSize() + top - (drawn.at(-1)?.end ?? top)} />
    </tbody>
  )
}
