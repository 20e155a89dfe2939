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
        // The library rejects with its result, which is not an Error.
        const { msBeforeNext } = refused as { msBeforeNext?: unknown }
        if (typeof msBeforeNext !== 'number') throw refused
        return Math.max(1, msBeforeNext)
      }
    },
    async reset(key) {
      await limiter.delete(key)
    },
  }
}

/**
 * The rate limits of the console, counted in this process. An office behind one address can sign in, while guessing a
 * ten-letter password at these rates takes longer than a lifetime. The limit of ten tries per email address lets a stranger lock
 * its owner out for a quarter of an hour at a time. That is the price of stopping attackers who guess from many addresses.
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
