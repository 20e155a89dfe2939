import type { KeyRow } from '#lib/contracts/keys'
import type { KeyUsage } from '../usage/usage-ports.ts'
import type { KeyRecord } from './key-ports.ts'

const UNUSED: KeyUsage = { requests: 0n, spentNano: 0n, spentMonthNano: 0n }

/** Revoked takes precedence over expired, because somebody decided it. */
export function keyState(key: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>, now: Date): KeyRow['state'] {
  if (key.revokedAt) return 'revoked'
  return key.expiresAt && key.expiresAt <= now ? 'expired' : 'active'
}

function activeFormer({ former, expiresAt }: KeyRecord, now: Date): KeyRow['former'] {
  const active = former
    .map((secret) => ({ hint: secret.hint, until: expiresAt && expiresAt < secret.expiresAt ? expiresAt : secret.expiresAt }))
    .filter(({ until }) => until > now)
    .sort((a, b) => b.until.getTime() - a.until.getTime())
  return active.map(({ hint, until }) => ({ hint, expiresAt: until.toISOString() }))
}

/** A key as the console shows it. `usage` is undefined if the key was never used. */
export function keyRow(key: KeyRecord, usage: KeyUsage | undefined, now: Date): KeyRow {
  const { spentNano, spentMonthNano, requests } = usage ?? UNUSED
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    groupId: key.groupId,
    groupName: key.groupName,
    state: keyState(key, now),
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    limitTotalNano: key.limitTotalNano?.toString() ?? null,
    limitMonthNano: key.limitMonthNano?.toString() ?? null,
    spentNano: spentNano.toString(),
    spentMonthNano: spentMonthNano.toString(),
    requests: Number(requests),
    modelAllow: key.modelAllow,
    addressAllow: key.addressAllow,
    rpm: key.rpm,
    tpm: key.tpm,
    historyEnabled: key.historyEnabled,
    former: activeFormer(key, now),
  }
}
