'use client'
import { LoadFailed } from '../load-failed.tsx'
import { Card } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useMe } from '../use-me.ts'
import { AppearanceCard } from './appearance-card.tsx'
import { EmailCard } from './email-card.tsx'
import { NameCard } from './name-card.tsx'
import { useSecurity } from './use-security.ts'

const ProfileSkeleton = () => (
  <Card className="h-[206px]">
    <Skeleton className="h-4 w-16" />
    <Skeleton className="mt-3 h-3.5 w-56" />
    <Skeleton className="mt-8 h-9 w-full" />
    <Skeleton className="mt-10 h-8 w-36" />
  </Card>
)

/** Name, address and appearance. */
export function ProfilePage() {
  const me = useMe()
  const { data, error, mutate } = useSecurity()
  return (
    <>
      {me !== undefined && <NameCard me={me} />}
      {data !== undefined ? (
        <EmailCard data={data} onChanged={mutate} />
      ) : error === undefined ? (
        <ProfileSkeleton />
      ) : (
        <Card>
          <LoadFailed error={error} onRetry={() => void mutate()} />
        </Card>
      )}
      <AppearanceCard />
    </>
  )
}
