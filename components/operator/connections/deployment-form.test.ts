import { describe, expect, it } from 'vitest'
import { type DeploymentNumbers, deploymentNumbers, readDeploymentNumbers } from './deployment-form.ts'

const form = (changes: Partial<DeploymentNumbers>): DeploymentNumbers => ({ ...deploymentNumbers(null), ...changes })

describe('readDeploymentNumbers', () => {
  it('reads nothing as no limit, and what a row has as it is', () => {
    const none = { weight: 1, priority: 0, concurrency: null, requestsPerMinute: null, tokensPerMinute: null }
    expect(readDeploymentNumbers(form({}))).toEqual({ values: none, faults: null })
    const row = { weight: 3, priority: -2, concurrency: 20, requestsPerMinute: 500, tokensPerMinute: 1_000_000_000 }
    expect(readDeploymentNumbers(deploymentNumbers(row))).toEqual({ values: row, faults: null })
    expect(readDeploymentNumbers(form({ requestsPerMinute: ' 60 ' })).values).toMatchObject({ requestsPerMinute: 60 })
    expect(readDeploymentNumbers(form({ tokensPerMinute: '200,000 ' })).values).toMatchObject({ tokensPerMinute: 200_000 })
  })

  it('names every field at fault', () => {
    const typed = { weight: '', priority: '1.5', concurrency: '0', requestsPerMinute: '-1', tokensPerMinute: '200k' }
    const faults = { weight: 'whole', priority: 'whole', concurrency: 'rate', requestsPerMinute: 'rate', tokensPerMinute: 'rate' }
    expect(readDeploymentNumbers(form(typed))).toEqual({ values: null, faults })
  })
})
