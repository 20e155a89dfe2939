import type { ReactNode } from 'react'
import { Providers } from '#components/providers'
import { Shell } from '#components/shell/shell'
import { Texts } from '#components/texts'
import { currentUser } from '../api/session.ts'

/** The frame of the console, for one of its areas. Without a visitor there is none: the page then leads to the sign-in. */
export async function Frame({ area, children }: { area: 'console' | 'operator'; children: ReactNode }) {
  const user = await currentUser()
  return user === null ? (
    children
  ) : (
    <Texts of={area}>
      <Providers>
        <Shell me={user}>{children}</Shell>
      </Providers>
    </Texts>
  )
}
