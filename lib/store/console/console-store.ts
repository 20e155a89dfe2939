import type { Pool } from 'pg'
import type { Closings, EmailPreferenceStore } from '../../services/account/account-ports.ts'
import type { Holders, NoticeOutbox } from '../../services/alerts/notices-ports.ts'
import type { BillingAccounts, Codes, Entries, Payments } from '../../services/billing/billing-ports.ts'
import type { AutoTopUps, Cards, SpendingAlerts } from '../../services/billing/card-ports.ts'
import type { Purses } from '../../services/billing/purse-ports.ts'
import type { Catalog } from '../../services/catalog-ports.ts'
import type { Charts, Histories, Views } from '../../services/history/history-ports.ts'
import type { Requests } from '../../services/history/request-ports.ts'
import type { RunningTasks } from '../../services/history/task-ports.ts'
import type { KeyChanges, Keys } from '../../services/keys/key-ports.ts'
import type { OperatorAccounts } from '../../services/operator/operator-account-ports.ts'
import type { BreakerSwitch, CatalogReads, CatalogWrites } from '../../services/operator/operator-ports.ts'
import type { TrafficReads } from '../../services/operator/traffic-ports.ts'
import type { PlaygroundKeys } from '../../services/playground/playground-ports.ts'
import type { Accounts, Users } from '../../services/ports.ts'
import type { SettingStore } from '../../services/settings-ports.ts'
import type { UsageExports, UsageReports, UsageSums } from '../../services/usage/usage-ports.ts'
import { createBreakerSwitch } from '../breaker-switch.ts'
import type { PrismaClient } from '../generated/client.ts'
import { createHolders } from '../holders.ts'
import { createNoticeOutbox } from '../notices.ts'
import { createOperatorAccounts } from '../operator/accounts.ts'
import { createCatalogReads } from '../operator/catalog-reads.ts'
import { createCatalogWrites } from '../operator/catalog-writes.ts'
import { createSettingStore } from '../settings-store.ts'
import { createTrafficReads } from '../traffic-reads.ts'
import { createAccounts } from './accounts.ts'
import { createSpendingAlerts } from './alerts.ts'
import { createAutoTopUps } from './auto-top-ups.ts'
import { createBillingAccounts } from './billing.ts'
import { createCards } from './cards.ts'
import { createCatalog } from './catalog.ts'
import { createCharts } from './charts.ts'
import { createClosings, createEmailPreferences } from './closing.ts'
import { createCodes } from './codes.ts'
import { createEntries } from './entries.ts'
import { createUsageExports } from './exports.ts'
import { createHistories } from './histories.ts'
import { createKeyChanges } from './key-changes.ts'
import { createKeys } from './keys.ts'
import { createPayments } from './payments.ts'
import { createPlaygroundKeys } from './playground.ts'
import { createPurses } from './purses.ts'
import { createUsageReports } from './reports.ts'
import { createRequests } from './requests.ts'
import { createRunningTasks } from './running-tasks.ts'
import { createUsageSums } from './usage.ts'
import { createUsers } from './users.ts'
import { createViews } from './views.ts'

export interface ConsoleStore {
  users: Users
  accounts: Accounts
  purses: Purses
  catalog: Catalog
  keys: Keys
  keyChanges: KeyChanges
  playgroundKeys: PlaygroundKeys
  usage: UsageSums
  requests: Requests
  runningTasks: RunningTasks
  payments: Payments
  entries: Entries
  billingAccounts: BillingAccounts
  codes: Codes
  catalogReads: CatalogReads
  catalogWrites: CatalogWrites
  settingStore: SettingStore
  traffic: TrafficReads
  breakerSwitch: BreakerSwitch
  charts: Charts
  views: Views
  histories: Histories
  cards: Cards
  autoTopUps: AutoTopUps
  spendingAlerts: SpendingAlerts
  noticeOutbox: NoticeOutbox
  holders: Holders
  usageReports: UsageReports
  usageExports: UsageExports
  emailPreferences: EmailPreferenceStore
  closings: Closings
  operatorAccounts: OperatorAccounts
  /** Rejects while the database does not respond. */
  ping(): Promise<void>
}

export interface ConsoleStoreParts {
  pool: Pool
  prisma: PrismaClient
  /** Called for a stored history that cannot be read. */
  onDamagedHistory?: (requestId: string, error: unknown) => void
}

/** Everything that the console's verbs store in the database, over one shared pool. */
export function createConsoleStore({ pool, prisma, onDamagedHistory = () => {} }: ConsoleStoreParts): ConsoleStore {
  return {
    users: createUsers(prisma),
    accounts: createAccounts(prisma),
    purses: createPurses(pool),
    catalog: createCatalog(prisma),
    keys: createKeys(pool, prisma),
    keyChanges: createKeyChanges(pool, prisma),
    playgroundKeys: createPlaygroundKeys(pool),
    usage: createUsageSums(pool),
    requests: createRequests(pool, prisma, onDamagedHistory),
    runningTasks: createRunningTasks(pool),
    payments: createPayments(pool, prisma),
    entries: createEntries(pool),
    billingAccounts: createBillingAccounts(pool, prisma),
    codes: createCodes(pool),
    catalogReads: createCatalogReads(pool),
    catalogWrites: createCatalogWrites(pool),
    settingStore: createSettingStore(pool),
    traffic: createTrafficReads(pool),
    breakerSwitch: createBreakerSwitch(pool),
    charts: createCharts(pool),
    views: createViews(pool),
    histories: createHistories(pool),
    cards: createCards(pool),
    autoTopUps: createAutoTopUps(pool),
    spendingAlerts: createSpendingAlerts(pool),
    noticeOutbox: createNoticeOutbox(pool),
    holders: createHolders(pool),
    usageReports: createUsageReports(pool),
    usageExports: createUsageExports(pool),
    emailPreferences: createEmailPreferences(pool, prisma),
    closings: createClosings(pool),
    operatorAccounts: createOperatorAccounts(pool),
    async ping() {
      await pool.query('select 1')
    },
  }
}
