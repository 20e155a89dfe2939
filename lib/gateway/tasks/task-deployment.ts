import type { Deployment } from '../../domain/catalog.ts'
import type { Videos } from '../../vendors/vendor.ts'
import type { GatewayPorts } from '../ports.ts'

/** Where a task runs, and the client that asks about it there. */
export interface TaskDeployment {
  deployment: Deployment
  videos: Videos
}

/** The deployment of a task by its id, even if nothing new begins there; null if it is not known here. */
export function findTaskDeployment(deploymentId: string | null, ports: GatewayPorts): TaskDeployment | null {
  const deployment = deploymentId === null ? undefined : ports.catalog().deployments.get(deploymentId)
  const videos = deployment && ports.vendor(deployment.connection)?.videos
  return deployment && videos ? { deployment, videos } : null
}

/** The origin that may serve a deployment's own files, although no other private address may be fetched. */
export function originOf({ connection: { baseUrl } }: Deployment): string | null {
  return baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).origin : null
}
