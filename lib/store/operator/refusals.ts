import type { PoolClient } from 'pg'
import type { Role } from '../../contracts/session.ts'
import { type Actor, COMMAND_LINE_ID } from '../../services/operator/operator-ports.ts'

/** Whether somebody may do what only owners may. */
export async function isOwner(client: PoolClient, { userId }: Actor): Promise<boolean> {
  if (userId === COMMAND_LINE_ID) return true
  const { rows } = await client.query<{ role: Role }>('select role from app_user where id = $1', [userId])
  return rows[0]?.role === 'owner'
}

/** Why somebody may not suspend or resume an account: it is their own, or an owner's and they are not an owner. */
export async function accessRefusal(client: PoolClient, actor: Actor, accountId: string): Promise<'own' | 'owners' | null> {
  const { rows } = await client.query<{ id: string; role: Role }>('select id, role from app_user where account_id = $1', [
    accountId,
  ])
  if (rows.some(({ id }) => id === actor.userId)) return 'own'
  if (!rows.some(({ role }) => role === 'owner')) return null
  return (await isOwner(client, actor)) ? null : 'owners'
}

/**
 * Why somebody may not give an account money or take it away. Owners may do it to any account. Others may not to their own, nor to
 * an owner's.
 */
export const moneyRefusal = async (client: PoolClient, actor: Actor, accountId: string): Promise<'own' | 'owners' | null> =>
  (await isOwner(client, actor)) ? null : accessRefusal(client, actor, accountId)
