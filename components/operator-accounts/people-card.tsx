'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { emptyResult, type OperatorAccount, type Person, signOutResult } from '#lib/contracts/operator-accounts'
import { type Role, role as roleShape } from '#lib/contracts/session'
import { sendJson } from '../fetch-json.ts'
import { personApi } from '../operator/paths.ts'
import { useMayChange } from '../operator/use-may-change.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { Tag } from '../ui/tag.tsx'
import { useErrorText } from '../use-error-text.ts'
import { useFormat } from '../use-format.ts'
import { useMe } from '../use-me.ts'

/** An action that needs confirmation: signing a person out, resetting their second step, or changing their role. */
type PendingAction = { do: 'sign-out' } | { do: 'second-step' } | { do: 'role'; to: Role }

interface ConfirmActionProps {
  pending: PendingAction | null
  name: string
  onClose: () => void
  onConfirm: (step: PendingAction) => void
}

/** What the reader may do to a person, and which roles are available. */
function useRights(person: Person) {
  const me = useMe()
  const isOwner = me?.role === 'owner'
  const isSelf = me?.email === person.email
  // Anybody could be behind an unconfirmed address, so a person with one can only get the lowest role.
  const roles = roleShape.options.filter((one) => person.emailVerified || one === person.role || one === 'holder')
  const mayGive = isOwner && !isSelf && roles.length > 1
  return {
    roles,
    mayGive,
    /** A role could be given if the address were confirmed. */
    isUnconfirmed: isOwner && !isSelf && !mayGive,
    // Only an owner may end another owner's sessions.
    maySignOut: useMayChange() && (isOwner || person.role !== 'owner'),
    mayResetSecondStep: isOwner && !isSelf && person.secondStep,
  }
}

/** The identity of a person, and whether and how they sign in. */
function Identity({ person, rights: { mayGive, isUnconfirmed } }: { person: Person; rights: ReturnType<typeof useRights> }) {
  const t = useTranslations('operatorAccounts')
  const format = useFormat()
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <span className="wrap-anywhere font-medium">{person.name}</span>
        {!mayGive && <Tag>{t(`roles.${person.role}`)}</Tag>}
        <Tag tone={person.secondStep ? 'good' : 'plain'}>{t(person.secondStep ? 'secondStepOn' : 'secondStepOff')}</Tag>
        {!person.emailVerified && <Tag tone="warn">{t('unconfirmed')}</Tag>}
      </p>
      <p className="wrap-anywhere text-second text-sm">{person.email}</p>
      <p className="text-second text-sm">
        {t('sessions', { count: person.sessions })}
        {person.lastSeenAt !== null && ` · ${t('lastSeen', { ago: format.ago(person.lastSeenAt) })}`}
      </p>
      {isUnconfirmed && <p className="text-second text-sm">{t('roleUnconfirmed')}</p>}
    </div>
  )
}

/** Does an action that was confirmed, and says whether it worked. */
function useAct({ id, name, role }: Person) {
  const t = useTranslations('operatorAccounts')
  const errorText = useErrorText()
  return async (step: PendingAction) => {
    try {
      if (step.do === 'role') {
        await sendJson('POST', personApi(id, '/role'), emptyResult, { from: role, to: step.to })
        toast.success(t('roleDone', { name, role: t(`roles.${step.to}`) }))
      } else if (step.do === 'second-step') {
        await sendJson('POST', personApi(id, '/reset-second-step'), emptyResult)
        toast.success(t('resetStepDone', { name }))
      } else {
        const { ended } = await sendJson('POST', personApi(id, '/sign-out'), signOutResult)
        toast.success(t('signOutDone', { name, count: ended }))
      }
    } catch (failure) {
      toast.error(t('notDone', { name }), { description: errorText(failure) })
    }
  }
}

/** Asks before an action. */
function ConfirmAction({ pending, name, onClose, onConfirm }: ConfirmActionProps) {
  const t = useTranslations('operatorAccounts')
  const texts = () => {
    if (pending?.do === 'role') {
      const title = t('roleTitle', { name, role: t(`roles.${pending.to}`) })
      return { title, description: t(`roleTexts.${pending.to}`), action: t('changeRole') }
    }
    if (pending?.do === 'second-step')
      return { title: t('resetStepTitle', { name }), description: t('resetStepText'), action: t('resetStep') }
    return { title: t('signOutTitle', { name }), description: t('signOutText'), action: t('signOut') }
  }
  return (
    <Confirm
      open={pending !== null}
      onOpenChange={(open) => !open && onClose()}
      {...texts()}
      onConfirm={() => pending !== null && onConfirm(pending)}
    />
  )
}

function PersonLine({ person, onDone }: { person: Person; onDone: () => void }) {
  const t = useTranslations('operatorAccounts')
  const rights = useRights(person)
  const act = useAct(person)
  const [pending, setPending] = useState<PendingAction | null>(null)
  const { name } = person
  return (
    <li
      data-person={person.email}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line-soft border-b py-2.5 last:border-b-0"
    >
      <Identity person={person} rights={rights} />
      <div className="flex flex-wrap items-center gap-2">
        {rights.mayGive && (
          <NativeSelect
            label={t('role')}
            value={person.role}
            onChange={(to) => setPending({ do: 'role', to: roleShape.parse(to) })}
            options={rights.roles.map((value) => ({ value, label: t(`roles.${value}`) }))}
          />
        )}
        {rights.maySignOut && (
          <Button
            size="small"
            disabled={person.sessions === 0}
            aria-label={t('signOutNamed', { name })}
            onClick={() => setPending({ do: 'sign-out' })}
          >
            {t('signOut')}
          </Button>
        )}
        {rights.mayResetSecondStep && (
          <Button size="small" aria-label={t('resetStepNamed', { name })} onClick={() => setPending({ do: 'second-step' })}>
            {t('resetStep')}
          </Button>
        )}
      </div>
      <ConfirmAction
        pending={pending}
        name={name}
        onClose={() => setPending(null)}
        onConfirm={(step) => void act(step).then(onDone)}
      />
    </li>
  )
}

/** The people of an account: who they are, how they sign in, and when they were last active. */
export function PeopleCard({ account, onDone }: { account: OperatorAccount; onDone: () => void }) {
  const t = useTranslations('operatorAccounts')
  return (
    <Card>
      <CardHeader title={t('people')} />
      {account.people.length === 0 && <p className="mt-1 text-second">{t('noPeople')}</p>}
      <ul className="mt-1">
        {account.people.map((person) => (
          <PersonLine key={person.id} person={person} onDone={onDone} />
        ))}
      </ul>
    </Card>
  )
}
