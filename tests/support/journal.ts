import type pg from 'pg'
import { expect } from 'vitest'
import { parseDecimal } from '#lib/domain/money'

/** What a client saw of one request. */
export interface RequestResult {
  status: number
  requestId: string | null
  /** Whether the last byte arrived: of a whole body, or of a stream's `[DONE]`. */
  complete: boolean
  costNano: bigint | null
}

/** The client's side of the books, for comparison with the gateway's. */
export class Journal {
  readonly results: RequestResult[] = []

  get completed(): RequestResult[] {
    return this.results.filter((item) => item.complete)
  }

  /** Sends one chat request and records the result. Never throws. */
  async call(url: string, secret: string, body: object, signal?: AbortSignal): Promise<RequestResult> {
    const result: RequestResult = { status: 0, requestId: null, complete: false, costNano: null }
    this.results.push(result)
    try {
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], ...body }),
        ...(signal ? { signal } : {}),
      })
      result.status = answer.status
      result.requestId = answer.headers.get('x-request-id')
      const text = await answer.text()
      const cost = /"cost":([0-9.]+)/.exec(text)?.[1]
      result.costNano = cost === undefined ? null : parseDecimal(cost)
      result.complete = answer.status === 200 && (text.trimEnd().endsWith('data: [DONE]') || text.startsWith('{'))
    } catch {
      // Broken connections are what these tests are about.
    }
    return result
  }

  /**
   * Checks that every answer whose last byte arrived is in the books once with the cost that it stated, that what was refused
   * cost nothing, and that there are no more charges than requests in this journal.
   */
  async expectBooksMatch(pool: pg.Pool, accountId: string): Promise<void> {
    const result = await pool.query<{ id: string; charged: string; outcome: string; reversed: boolean }>(
      `SELECT u.id, u.charged_nano AS charged, u.outcome, e.id IS NOT NULL AS reversed
         FROM usage_record u LEFT JOIN entry e ON e.id = 'rev_' || u.id WHERE u.account_id = $1`,
      [accountId],
    )
    const records = new Map(result.rows.map((row) => [row.id, row]))
    for (const sent of this.results) {
      const record = sent.requestId === null ? undefined : records.get(sent.requestId)
      if (sent.complete)
        expect({ id: sent.requestId, charged: record?.charged, reversed: record?.reversed }).toEqual({
          id: sent.requestId,
          charged: String(sent.costNano),
          reversed: false,
        })
      else if (sent.status >= 400 && record)
        expect(record.charged === '0' || record.reversed, `${record.id} was refused and charged`).toBe(true)
    }
    const charged = result.rows.filter((row) => row.charged !== '0' && !row.reversed).length
    // There can be more charges than finished answers, if a last byte was lost in transit, but never more than requests.
    expect(charged).toBeGreaterThanOrEqual(this.completed.length)
    expect(charged).toBeLessThanOrEqual(this.results.length)
  }
}
