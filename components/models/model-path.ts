/** The address of a model's page. Slashes in its name are part of the address, and all other special characters are escaped. */
export const modelPath = (id: string): string => `/models/${id.split('/').map(encodeURIComponent).join('/')}`
