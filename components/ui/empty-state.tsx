import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: ReactNode
  title: ReactNode
  text: ReactNode
  children?: ReactNode
}

/** Stands where there is nothing yet, and says what to do about it. */
export function EmptyState({ icon, title, text, children }: EmptyStateProps) {
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col items-center gap-2 px-2 py-12 text-center">
      <div
        aria-hidden
        className="mb-2 grid size-11 place-items-center rounded-lg border bg-panel text-accent shadow-lift [&_svg]:size-5"
      >
        {icon}
      </div>
      <h2 className="font-semibold text-lg">{title}</h2>
      <p className="max-w-md text-second">{text}</p>
      {children !== undefined && <div className="mt-4 flex w-full flex-col items-center gap-4">{children}</div>}
    </div>
  )
}
