/** The settings pages, in order. Their names are in the texts under `settings.names`. */
export const tabs = [
  { path: '/settings', name: 'profile' },
  { path: '/settings/security', name: 'security' },
  { path: '/settings/notifications', name: 'notifications' },
  { path: '/settings/webhooks', name: 'webhooks' },
  { path: '/settings/data', name: 'data' },
] as const
