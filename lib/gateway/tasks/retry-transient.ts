import type { GatewayPorts } from '../ports.ts'

const RETRY_MS = [50, 200, 500, 1000]

/**
 * Asks the database until it has answered, because what is lost otherwise cannot be recovered. `work` may run more than once;
 * `what` is logged if it has to wait. Throws every error other than the database being away.
 */
export async function retryTransient<T>(
  taskId: string,
  what: string,
  work: () => Promise<T>,
  ports: Pick<GatewayPorts, 'isTransient' | 'log'>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!ports.isTransient(error)) throw error
      if (tries === 0) ports.log.warn({ task: taskId, error: String(error) }, what)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]))
    }
  }
}
