import { Card } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

const FigureSkeleton = () => (
  <Card className="flex min-h-[158px] flex-col first:max-sm:col-span-2 last:max-sm:col-span-2">
    <Skeleton className="h-3.5 w-20" />
    <Skeleton className="mt-4 h-6 w-32" />
    <Skeleton className="mt-4 h-3 w-40 max-w-full" />
    <Skeleton className="mt-auto h-1.5 w-full" />
  </Card>
)

/** Placeholder of the overview, in the layout of its figures. */
export const OverviewSkeleton = () => (
  <div className="flex flex-col gap-5">
    <div className="grid grid-cols-2 gap-3.5 xl:grid-cols-[1.35fr_1fr_1fr_1fr]">
      {[1, 2, 3, 4].map((place) => (
        <FigureSkeleton key={place} />
      ))}
    </div>
    <div className="grid gap-3.5 xl:grid-cols-[2fr_1fr]">
      <Card className="min-h-[296px]">
        <Skeleton className="h-4 w-32" />
        <div className="mt-10 flex h-44 items-end gap-2">
          {[52, 70, 44, 80, 96, 38, 26, 74, 88, 76, 64, 40].map((height) => (
            <div key={height} className="flex-1" style={{ height: `${height}%` }}>
              <Skeleton className="h-full w-full" />
            </div>
          ))}
        </div>
      </Card>
      <Card className="min-h-[296px]">
        <Skeleton className="h-4 w-24" />
        {[1, 2, 3, 4, 5].map((line) => (
          <Skeleton key={line} className="mt-4 h-4 w-48" />
        ))}
      </Card>
    </div>
    <Card className="min-h-[220px]">
      <Skeleton className="h-4 w-28" />
      {[1, 2, 3, 4].map((line) => (
        <Skeleton key={line} className="mt-5 h-4 w-full" />
      ))}
    </Card>
  </div>
)
