import type { GatewayPorts } from '../ports.ts'
import type { HeldTask } from './held-task.ts'
import { failurePause } from './pause.ts'
import { findTaskDeployment } from './task-deployment.ts'

const STOP_TIMEOUT_MS = 20_000
/** After this many failures the vendor is no longer told: users pay nothing for it. */
const MAX_FAILURES = 5

/** Tells the vendor of a task that ended early to stop. */
export async function stopVendor(task: HeldTask, signal: AbortSignal, ports: GatewayPorts): Promise<void> {
  const taskDeployment = findTaskDeployment(task.deploymentId, ports)
  try {
    if (taskDeployment?.videos.cancel)
      await taskDeployment.videos.cancel(task.operation, {
        deployment: taskDeployment.deployment,
        connection: taskDeployment.deployment.connection,
        signal: AbortSignal.any([signal, AbortSignal.timeout(STOP_TIMEOUT_MS)]),
      })
  } catch (error) {
    if (ports.isTransient(error) || signal.aborted) throw error
    if (task.failures < MAX_FAILURES) {
      const inMs = failurePause(task.failures, ports.random())
      await ports.tasks.scheduleNext(task, { inMs, place: false, failing: true, trace: task.trace })
      return
    }
    ports.log.warn({ task: task.id, error: String(error) }, 'a vendor could not be told that a video is no longer wanted')
  }
  await ports.tasks.markStopped(task)
}
