import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: ReactNode
  title: ReactNode
  text: ReactNode
  children?: ReactNode
  /** `h1` if it is all that the page shows. */
  heading?: 'h1' | 'h2'
}

/** Shown if there is nothing yet. Says what to do about it. */
export function EmptyState({ icon, title, text, children, heading: Heading = 'h2' }: EmptyStateProps) {
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col items-center gap-2 px-2 py-12 text-center">
      <div
        aria-hidden
        className="mb-2 grid size-11 place-items-center rounded-lg border bg-panel text-accent shadow-lift [&_svg]:size-5"
      >
        {icon}
      </div>
      <Heading className="font-semibold text-lg">{title}</Heading>
      <p className="max-w-md text-second">{text}</p>
      {children !== undefined && <div className="mt-4 flex w-full flex-col items-center gap-4">{children}</div>}
    </div>
  )
}
