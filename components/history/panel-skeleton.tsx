import { Skeleton } from '../ui/skeleton.tsx'

/** Placeholder of the panel until its request has loaded. */
export const PanelSkeleton = () => (
  <div className="flex flex-col gap-5">
    <Skeleton className="h-3 w-64 max-w-full" />
    <Skeleton className="h-[7px] w-full" />
    <Skeleton className="h-20 w-full rounded-lg" />
    <Skeleton className="h-28 w-full rounded-lg" />
    {[1, 2, 3, 4].map((line) => (
      <Skeleton key={line} className="h-4 w-full" />
    ))}
  </div>
)
