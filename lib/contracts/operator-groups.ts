/** Shapes of the operator's side: model groups, and the log of changes. */
import { z } from 'zod'
import { count, pageLimit, pageSchema, singleLine, time } from './common.ts'
import { beforeId } from './cursor.ts'
import { operatorId as id, expectedVersion as version } from './operator.ts'

const groupFields = {
  name: singleLine(60),
  description: z.string().trim().max(300),
  /** 10000 is a factor of 1. */
  multiplierBp: z.number().int().min(0).max(1_000_000),
  rpm: z.number().int().min(1).max(1_000_000).nullable(),
  tpm: z.number().int().min(1).max(1_000_000_000).nullable(),
  isDefault: z.literal(true),
  open: z.boolean(),
}
const modelIds = z.array(z.string().min(1).max(200)).max(2000)
/** Accounts by their ids, or by the address of a person in them. */
const accounts = z.array(z.string().trim().min(1).max(254)).max(500)

/** POST /api/operator/groups */
export const createGroupInput = z.strictObject({
  name: groupFields.name,
  description: groupFields.description.default(''),
  multiplierBp: groupFields.multiplierBp.default(10_000),
  rpm: groupFields.rpm.default(null),
  tpm: groupFields.tpm.default(null),
  open: groupFields.open.default(true),
})
export type CreateGroupInput = z.infer<typeof createGroupInput>
/** PATCH /api/operator/groups/{id}: models and accounts are named only if they are added or removed. */
export const updateGroupInput = z
  .strictObject(groupFields)
  .partial()
  .extend({
    id,
    version,
    addModels: modelIds.default([]),
    removeModels: modelIds.default([]),
    addAccounts: accounts.default([]),
    removeAccounts: accounts.default([]),
    archived: z.literal(false).optional(),
  })
export type UpdateGroupInput = z.infer<typeof updateGroupInput>

export const operatorGroupRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  multiplierBp: count,
  rpm: count.nullable(),
  tpm: count.nullable(),
  isDefault: z.boolean(),
  open: z.boolean(),
  version: count,
  archivedAt: time.nullable(),
  createdAt: time,
  models: count,
})
export type OperatorGroupRow = z.infer<typeof operatorGroupRow>
export const operatorGroupPage = pageSchema(operatorGroupRow)
/** GET /api/operator/groups/{id} */
export const operatorGroup = operatorGroupRow.extend({
  modelIds: z.array(z.string()),
})
export type OperatorGroup = z.infer<typeof operatorGroup>

/** GET /api/operator/groups/{id}/accounts?before=&limit= : the newest account first. */
export const groupAccountQuery = z.strictObject({ id, before: beforeId('acc'), limit: pageLimit(50, 200) })
export type GroupAccountQuery = z.infer<typeof groupAccountQuery>
/** `email` is empty if the account has no people. */
export const groupAccount = z.object({ id: z.string(), name: z.string(), email: z.string() })
export type GroupAccount = z.infer<typeof groupAccount>
export const groupAccountPage = pageSchema(groupAccount)

/** GET /api/operator/audit?before=&limit=&target=&targetId= : newest first. */
export const auditQuery = z.strictObject({
  before: beforeId('aud'),
  limit: pageLimit(50, 100),
  target: z.string().max(40).optional(),
  targetId: z.string().max(200).optional(),
})
export type AuditQuery = z.infer<typeof auditQuery>
export const auditRow = z.object({
  id: z.string(),
  at: time,
  actor: z.string(),
  verb: z.string(),
  target: z.string(),
  targetId: z.string(),
  /**
   * Its current display name: a name, an account's first address, a vendor's model. Null if the id is its name, or if it is
   * gone.
   */
  name: z.string().nullable(),
  /** The model that a deployment or a price belongs to. */
  modelId: z.string().nullable(),
  before: z.json().nullable(),
  after: z.json().nullable(),
})
export type AuditRow = z.infer<typeof auditRow>
export const auditPage = pageSchema(auditRow)
