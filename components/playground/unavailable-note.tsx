'use client'
import { Blocks } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { updateSearchParams } from '../update-search-params.ts'
import type { UnavailableName } from './select-model.ts'
import { WarnNote } from './warn-note.tsx'

/** Says what the address names that does not exist, and what is called instead. */
export function UnavailableNote({ gone }: { gone: UnavailableName[] }) {
  const t = useTranslations('playground.gone')
  if (gone.length === 0) return null
  return (
    <WarnNote icon={<Blocks />} onDismiss={() => updateSearchParams(Object.fromEntries(gone.map(({ what }) => [what, null])))}>
      {gone.map(({ what, name, instead }) => (
        <p key={what} className="[overflow-wrap:anywhere]">
          {t(what, { name, instead: instead ?? '' })}
        </p>
      ))}
    </WarnNote>
  )
}
