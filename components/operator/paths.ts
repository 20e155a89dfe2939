/** The addresses of the operator pages. A model's name may contain slashes, which are part of its address. */
export const operatorModelPath = (id: string): string => `/operator/models/${id.split('/').map(encodeURIComponent).join('/')}`
export const connectionPath = (id: string): string => `/operator/connections/${encodeURIComponent(id)}`
export const groupPath = (id: string): string => `/operator/groups/${encodeURIComponent(id)}`
export const accountPath = (id: string): string => `/operator/accounts/${encodeURIComponent(id)}`

/** The paths of the API. */
export const connectionApi = (id: string, more = ''): string => `/api/operator/connections/${encodeURIComponent(id)}${more}`
export const groupApi = (id: string, more = ''): string => `/api/operator/groups/${encodeURIComponent(id)}${more}`
export const accountApi = (id: string, more = ''): string => `/api/operator/accounts/${encodeURIComponent(id)}${more}`
export const personApi = (id: string, more: string): string => `/api/operator/people/${encodeURIComponent(id)}${more}`
export const alertApi = (id: string): string => `/api/operator/alerts/${encodeURIComponent(id)}`
export const alertWebhookApi = (id: string): string => `/api/operator/alert-webhooks/${encodeURIComponent(id)}`
