'use client'
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { createStore } from '../create-store.ts'
import { CopyCode, type CopyTexts } from './copy-code.tsx'

export interface CodeTab {
  /** The name of the language, as its users write it. */
  name: string
  code: string
  /** The label of its copy button. */
  copyLabel: string
  /** The displayed code, rendered by the server. */
  shown: ReactNode
}

// The selected language applies to all samples, on this page and on the next ones.
const chosen = createStore<string | null>(null)

const STEP_BY_KEY: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

/** A sample in several languages, as tabs that also work with the arrow keys. */
export function CodeTabs({
  label,
  tabs,
  texts,
  className,
}: {
  label: string
  tabs: CodeTab[]
  texts: CopyTexts
  className: string
}) {
  const selectedName = chosen.use()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const at = Math.max(
    0,
    tabs.findIndex(({ name }) => name === selectedName),
  )
  const open = tabs[at]
  if (!open) return null
  const move = (event: KeyboardEvent) => {
    const next = STEP_BY_KEY[event.key]?.(at, tabs.length)
    if (next === undefined) return
    event.preventDefault()
    chosen.write(tabs[next]?.name ?? open.name)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div className={className}>
      <div className="flex items-center justify-between gap-2 border-b pr-1">
        <div ref={list} role="tablist" aria-label={label} className="flex min-w-0 overflow-x-auto px-1">
          {tabs.map(({ name }) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === open.name}
              aria-controls={`${id}-panel`}
              tabIndex={name === open.name ? 0 : -1}
              onClick={() => chosen.write(name)}
              onKeyDown={move}
              className="whitespace-nowrap border-transparent border-b-2 px-2.5 py-2 text-second text-sm -outline-offset-2 transition-colors hover:text-ink aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
            >
              {name}
            </button>
          ))}
        </div>
        <CopyCode text={open.code} label={open.copyLabel} texts={texts} />
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open.name}`}>
        {open.shown}
      </div>
    </div>
  )
}
