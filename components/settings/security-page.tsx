'use client'
import { LoadFailed } from '../load-failed.tsx'
import { Card } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { LoginsCard } from './logins-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SecondStepCard } from './second-step-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { useSecurity } from './use-security.ts'

const SecuritySkeleton = () => (
  <>
    <Card className="h-[198px]">
      <Skeleton className="h-4 w-24" />
      <Skeleton className="mt-8 h-9 w-full" />
      <Skeleton className="mt-10 h-8 w-36" />
    </Card>
    <Card className="h-[142px]">
      <Skeleton className="h-4 w-28" />
      <Skeleton className="mt-3 h-8 w-full" />
      <Skeleton className="mt-5 h-8 w-24" />
    </Card>
    <Card className="h-[160px]">
      <Skeleton className="h-4 w-28" />
      <Skeleton className="mt-4 h-4 w-full" />
      <Skeleton className="mt-5 h-10 w-full" />
    </Card>
  </>
)

/** How the reader signs in, and their sessions. */
export function SecurityPage() {
  const { data, error, mutate } = useSecurity()
  const reload = () => void mutate()
  return (
    <>
      {data !== undefined ? (
        <>
          <PasswordCard hasPassword={data.hasPassword} />
          <SecondStepCard data={data} onChanged={reload} />
          <LoginsCard data={data} onChanged={reload} />
        </>
      ) : error === undefined ? (
        <SecuritySkeleton />
      ) : (
        <Card>
          <LoadFailed error={error} onRetry={reload} />
        </Card>
      )}
      {/* Until the response is there, the height above these is unknown, so they load but stay hidden. */}
      <div className={data === undefined && error === undefined ? 'hidden' : 'contents'}>
        <SessionsCard />
      </div>
    </>
  )
}
