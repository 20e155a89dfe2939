import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { buildAuditReport } from '#lib/ledger/audit'
import { readAudit } from '#lib/store/ledger/audit-store'
import { spendBody } from '../fakes/spend.ts'
import { addKey, balanceOf } from '../support/fixtures.ts'
import { sendRaw } from '../support/raw-client.ts'
import type { Member } from './member.ts'
import { LEASE_LIFETIME_MS, type Stage } from './stage.ts'
import type { ExchangeResult, Traffic } from './traffic.ts'
import { usageOfNumber } from './vendor.ts'

export interface RecordRow {
  id: string
  outcome: string
  estimated: boolean
  input: bigint
  output: bigint
  charged: bigint
  shortfall: bigint
  reversed: boolean
}

/** Checks everything that a run has left behind. Returns what is wrong. The stage must be healed and quiet. */
export async function verify(stage: Stage, traffic: Traffic): Promise<{ problems: string[]; audit: string[] }> {
  const problems: string[] = []
  for (const member of stage.members) await expectWorking(member, stage, problems)
  // By now dead processes are swept, and waiting ones have posted.
  await sleep(LEASE_LIFETIME_MS * 2)
  const records = await readRecords(stage.pool)
  compareAnswers(traffic.journal, records, problems)
  checkSingleCharges(traffic, records, problems)
  await expectNoClaims(stage.pool, problems)
  for (const [index, account] of stage.accounts.entries())
    await spendAll(stage, account.id, stage.members[index % stage.members.length] as Member, problems)
  const report = buildAuditReport(await readAudit(stage.pool, LEASE_LIFETIME_MS * 2))
  if (!report.balanced) problems.push(...report.lines.filter((line) => line.startsWith('WRONG') || line.startsWith('      ')))
  for (const member of stage.members) {
    const code = await member.stop('SIGTERM')
    if (code !== 0) problems.push(`${member.name} ended with ${code} when it was asked to stop`)
    problems.push(...member.violations)
  }
  await expectNothingLeased(stage.pool, problems)
  return { problems, audit: report.lines }
}

async function readRecords(pool: pg.Pool): Promise<Map<string, RecordRow>> {
  const { rows } = await pool.query<{
    id: string
    outcome: string
    estimated: boolean
    input_units: string
    output_units: string
    charged_nano: string
    shortfall_nano: string
    reversed: boolean
  }>(
    `SELECT u.id, u.outcome, u.estimated, u.input_units, u.output_units, u.charged_nano, u.shortfall_nano, e.id IS NOT NULL AS reversed
       FROM usage_record u LEFT JOIN entry e ON e.id = 'rev_' || u.id`,
  )
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        outcome: row.outcome,
        estimated: row.estimated,
        input: BigInt(row.input_units),
        output: BigInt(row.output_units),
        charged: BigInt(row.charged_nano),
        shortfall: BigInt(row.shortfall_nano),
        reversed: row.reversed,
      },
    ]),
  )
}

/**
 * Checks that every complete answer is charged, with exactly the cost that it named. A refused request costs nothing, unless a
 * repeat got its answer after all.
 */
export function compareAnswers(
  journal: readonly ExchangeResult[],
  records: ReadonlyMap<string, RecordRow>,
  problems: string[],
): void {
  const replayedIds = new Set(journal.map((result) => result.replayOf))
  for (const result of journal) {
    if (/The gateway failed/.test(result.error ?? '')) problems.push(`${result.requestId}: a failure of our own: ${result.error}`)
    const id = result.replayOf ?? result.requestId
    const record = id === null ? undefined : records.get(id)
    if (result.complete) {
      if (!record) problems.push(`${id} was answered and is not in the books (number ${result.number})`)
      else if (record.reversed) problems.push(`${id} was answered and its charge was given back`)
      else if (result.costNano !== null && !costMatches(result, record))
        problems.push(
          `${id} said ${result.costNano}, and was charged ${record.charged} (${record.outcome}, short of ${record.shortfall})`,
        )
      // Of two requests with the same Idempotency-Key one costs nothing.
      else if (record.charged + record.shortfall === 0n && record.outcome !== 'undelivered')
        problems.push(`${id} was answered for nothing`)
    } else if (result.status >= 400 && record && record.charged > 0n && !record.reversed && !replayedIds.has(id))
      problems.push(`${id} was refused with ${result.status} and charged ${record.charged} (${record.outcome})`)
  }
}

/** A stored answer was written before it was known whether there would be a shortfall. */
const costMatches = ({ costNano, replayOf }: ExchangeResult, { charged, shortfall }: RecordRow): boolean =>
  costNano === charged || (replayOf !== null && costNano === charged + shortfall)

/** Checks that no request is charged twice, whoever repeated it. The vendor's count shows to which request a charge belongs. */
export function checkSingleCharges(
  traffic: Pick<Traffic, 'journal' | 'keyedNumbers'>,
  records: ReadonlyMap<string, RecordRow>,
  problems: string[],
): void {
  const numberByUnits = new Map<string, number>()
  for (const { number } of traffic.journal) numberByUnits.set(usageOfNumber(number).join('/'), number)
  const charges = new Map<number, string[]>()
  for (const record of records.values()) {
    const number = numberByUnits.get(`${record.input}/${record.output}`)
    if (number === undefined || record.estimated || record.reversed || record.charged === 0n) continue
    charges.set(number, [...(charges.get(number) ?? []), record.id])
  }
  for (const [number, ids] of charges)
    if (ids.length > 1)
      problems.push(
        `request ${number}${traffic.keyedNumbers.has(number) ? ', which has an Idempotency-Key,' : ''} was charged ${ids.length} times: ${ids}`,
      )
}

/** Expects that twenty requests in a row succeed within ten seconds. */
async function expectWorking({ url, name }: Member, stage: Stage, problems: string[]): Promise<void> {
  const secret = stage.accounts.find((account) => !account.hasLowBalance)?.secret ?? ''
  let lastError = ''
  const deadlineMs = performance.now() + 10_000
  for (let successes = 0; successes < 20 && performance.now() < deadlineMs; ) {
    const answer = await call(url, secret, { model: 'fake/chat', messages: [{ role: 'user', content: '#0' }], max_tokens: 500 })
    successes = answer.status === 200 ? successes + 1 : 0
    if (successes === 20) return
    lastError = answer.status === 200 ? lastError : answer.text
    if (answer.status !== 200) await sleep(100)
  }
  problems.push(`${name} does not work again: ${lastError}`)
}

const call = (url: string, secret: string, body: object) =>
  sendRaw(url, {
    headers: [
      ['authorization', `Bearer ${secret}`],
      ['content-type', 'application/json'],
    ],
    body: JSON.stringify(body),
  }).catch((error: unknown) => ({ status: 0, text: String(error) }))

/** Expects that no key is claimed once its request has ended, unless its process died: then the next request takes it over. */
async function expectNoClaims(pool: pg.Pool, problems: string[]): Promise<void> {
  const { rows } = await pool.query<{ key: string; request_id: string }>(
    'SELECT i.key, i.request_id FROM idempotency i JOIN process p ON p.id = i.owner WHERE i.status IS NULL',
  )
  for (const row of rows) problems.push(`the Idempotency-Key ${row.key} is still claimed by ${row.request_id}`)
}

/** Holds exactly the balance. It is refused if any process still holds a nano-dollar, in memory or in the books. */
async function spendAll({ pool }: Stage, accountId: string, { url, name }: Member, problems: string[]): Promise<void> {
  const { balance } = await balanceOf(pool, accountId)
  if (balance < 2n) return
  const { secret } = await addKey(pool, accountId)
  const answer = await call(url, secret, spendBody(balance))
  const left = (await balanceOf(pool, accountId)).balance
  if (left !== 0n)
    problems.push(`${accountId}: of ${balance} nano-dollars ${left} cannot be spent through ${name}: ${answer.text}`)
}

async function expectNothingLeased(pool: pg.Pool, problems: string[]): Promise<void> {
  const { rows } = await pool.query<{ id: string; leased: string }>('SELECT id, leased FROM purse WHERE leased <> 0')
  for (const row of rows) problems.push(`${row.id}: ${row.leased} nano-dollars are leased to nobody`)
  const others = await pool.query<{ id: string }>('SELECT id FROM process')
  for (const row of others.rows) problems.push(`the process ${row.id} is gone and still registered`)
}
