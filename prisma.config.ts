import { defineConfig } from 'prisma/config'

// Only for people who run Prisma's own commands, such as `prisma migrate deploy`: this program
// applies the migrations itself when it starts. DATABASE_URL names the database there.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
