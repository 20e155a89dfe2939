import { Skeleton } from './skeleton.tsx'

/** Placeholder for the rows of a table. */
export const RowsSkeleton = ({ count = 6 }: { count?: number }) => (
  <div className="flex flex-col">
    {Array.from({ length: count }, (_, line) => `line ${line}`).map((line) => (
      <div key={line} className="flex h-[45px] items-center justify-between gap-6 border-line-soft border-b last:border-b-0">
        <Skeleton className="h-3.5 w-40" />
        <Skeleton className="hidden h-3.5 w-56 md:block" />
        <Skeleton className="h-3.5 w-16" />
      </div>
    ))}
  </div>
)
