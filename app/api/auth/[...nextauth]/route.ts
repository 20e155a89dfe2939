import { authRoute } from '#app/api/next-auth'

export { authRoute as GET, authRoute as POST }
