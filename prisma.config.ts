import { defineConfig } from 'prisma/config'

// Only for running Prisma's own commands, such as `prisma migrate deploy`. The gateway applies its migrations itself when it
// starts. DATABASE_URL names the database for these commands.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
