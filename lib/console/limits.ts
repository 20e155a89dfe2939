import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Limit, Limits } from '../services/ports.ts'

const MINUTE_S = 60

function memoryLimit(points: number, durationS: number): Limit {
  const limiter = new RateLimiterMemory({ points, duration: durationS })
  return {
    async take(key) {
      try {
        await limiter.consume(key)
        return null
      } catch (refused) {
        // The library rejects with its answer, which is not an error.
        const { msBeforeNext } = refused as { msBeforeNext?: unknown }
        if (typeof msBeforeNext !== 'number') throw refused
        return Math.max(1, msBeforeNext)
      }
    },
    async forget(key) {
      await limiter.delete(key)
    },
  }
}

/**
 * How often somebody may try, counted in this process. An office behind one address can sign in;
 * guessing ten-letter passwords at these rates takes longer than anybody lives. Ten tries for one email
 * address let a stranger keep its owner out for a quarter of an hour at a time, which is the price of
 * stopping those who guess from many addresses.
 */
export function createMemoryLimits(): Limits {
  return {
    signInAddress: memoryLimit(60, 10 * MINUTE_S),
    signInEmail: memoryLimit(10, 15 * MINUTE_S),
    signUpAddress: memoryLimit(10, 60 * MINUTE_S),
    secondStepUser: memoryLimit(5, 15 * MINUTE_S),
    passwordUser: memoryLimit(10, 15 * MINUTE_S),
    linkAddress: memoryLimit(30, 60 * MINUTE_S),
    linkEmail: memoryLimit(5, 60 * MINUTE_S),
    wantedEmail: memoryLimit(5, 60 * MINUTE_S),
    topUpAccount: memoryLimit(30, 10 * MINUTE_S),
    redeemAccount: memoryLimit(10, 10 * MINUTE_S),
    playgroundAccount: memoryLimit(60, 10 * MINUTE_S),
    webhookAccount: memoryLimit(30, 10 * MINUTE_S),
    closeAccount: memoryLimit(10, 15 * MINUTE_S),
    exportAccount: memoryLimit(10, 60 * MINUTE_S),
  }
}
