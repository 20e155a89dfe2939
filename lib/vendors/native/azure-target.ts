import { type Target, targetOf } from '../upstream.ts'

/**
 * Where Azure takes a request: its current API as OpenAI does, with the deployment's name as the model. Where the base
 * URL has an `api-version` and does not end in `/v1`, it is the older one, which has the deployment in the path.
 */
export function azureTarget(baseUrl: string, path: string, upstreamModel: string): Target {
  const { pathname, searchParams } = new URL(baseUrl)
  const older = searchParams.has('api-version') && !/\/v1\/?$/.test(pathname)
  // Responses stand beside the deployments there.
  const place = older && path !== '/responses' ? `/deployments/${encodeURIComponent(upstreamModel)}${path}` : path
  return targetOf(baseUrl, place)
}
