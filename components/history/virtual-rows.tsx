'use client'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { RequestRow } from '#lib/contracts/requests'

const ROW_PX = 37
/** Extra rows rendered above and below the visible ones, for readers who move from row to row with the Tab key. */
const OVERSCAN_ROWS = 20
const COLUMNS = 7

/** The handle of a partially rendered list. */
export interface RowsHandle {
  /** Scrolls to a row and renders it. */
  show(index: number): void
}

/** The attributes for measuring a row, and its index. `aria-rowindex` counts the table head as the first row. */
export interface MeasuredRowProps {
  ref: (line: HTMLTableRowElement | null) => void
  'data-index': number
  'aria-rowindex': number
}

export interface VirtualRowsProps {
  rows: readonly RequestRow[]
  handle?: Ref<RowsHandle>
  renderRow: (row: RequestRow, measured: MeasuredRowProps) => ReactNode
}

const SpacerRow = ({ height }: { height: number }) =>
  height <= 0 ? null : (
    <tr aria-hidden>
      <td colSpan={COLUMNS} style={{ height, padding: 0 }} />
    </tr>
  )

/** The body of a table that renders only the rows near the window, so that thousands cost as little as a screenful. */
export function VirtualRows({ rows, handle, renderRow }: VirtualRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  // The content above the list can grow and shrink.
  useLayoutEffect(() => {
    const updateTop = () => setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    updateTop()
    const observer = new ResizeObserver(updateTop)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  useImperativeHandle(handle, () => ({ show: (index) => list.scrollToIndex(index, { align: 'auto' }) }), [list])
  const visibleItems = list.getVirtualItems()
  return (
    <tbody ref={body}>
      <SpacerRow height={(visibleItems[0]?.start ?? top) - top} />
      {visibleItems.map(({ index }) => {
        const row = rows[index]
        const line = { ref: list.measureElement, 'data-index': index, 'aria-rowindex': index + 2 }
        return row === undefined ? null : renderRow(row, line)
      })}
      <SpacerRow height={list.getTotalSize() + top - (visibleItems.at(-1)?.end ?? top)} />
    </tbody>
  )
}
