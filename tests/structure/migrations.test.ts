import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, it } from 'vitest'

/** The beginning of the checksum of each migration. Add those of new ones. */
const CHECKSUMS = {
  '20261120000001_tables': '5f9b6a7ce7d1f40c',
  '20261120000002_ledger': '8f1ac334ed8c08dc',
  '20261120000003_settle_quickly': 'c864e15d1156dd62',
  '20261120000004_find_answers': 'a5873930b4cb4141',
  '20261120000005_media_models': '075331eb47c5d7ae',
  '20261120000006_tasks': 'cff9175d981987c2',
  '20261120000007_responses': '4df23b9b213e619f',
  '20261120000008_billing': 'b1ab35a7ed6d13b3',
  '20261121000009_sign_in': '6bb9ba731ff84b23',
  '20261121000010_usage': '5dc4270a112337f8',
  '20261121000011_playground': '0e6260684c966cf5',
  '20261121000012_history': 'f691e513e9cde077',
  '20261121000013_auto_top_up': 'd0a35c6b94dbbad8',
  '20261121000014_webhooks': '8a2cff8db8db0fde',
  '20261121000016_operator': '2a413ab2da991f00',
  '20261122000018_accounts': 'b199d91855f82731',
  '20261122000019_traffic': '4d86816ab2dc2535',
  '20261122000020_settings_and_alerts': 'fdb345e63cf137c1',
  '20261122000022_usage_reads': '5c73fd1e10d1dc0f',
  '20261122000023_deployment_rates': '95679160b557eb00',
  '20261122000024_heard_changes': 'a376e5d026bfd1ea',
  '20261122000025_settle_briefly': '23515fe8fd162126',
  '20261124000026_withdraw_prices': '8e4666cd89d6197e',
  '20261124000027_settle_at_once': '6fdde60a88704ce7',
  '20261125000028_mail_language': '7eebd2556c262ec2',
  '20261125000029_live_timeline': '46b2c55963cc577a',
  '20261126000030_slow_webhooks': '54f36dbe113c274f',
  '20261126000031_forget_closed': '7d25532767a310fe',
  '20261128000032_lost_disputes': '34bb6549dff48c30',
  '20261128000033_waiting_payments': '7f6fae609d8a08eb',
  '20261128000034_settle_one': '9dccf013d1b7b079',
  '20261129000035_secret_mark': 'ae00ab5868940b10',
}

// A database that has applied another text refuses to start. If it has to be, put what such databases lack into the folder, as
// `from-` and the beginning of the earlier checksum, and change the checksum here.
it('does not change a migration that a gateway may have applied', () => {
  const files = globSync('prisma/migrations/*/migration.sql').sort()
  const checksumOf = (file: string) =>
    createHash('sha256').update(readFileSync(file, 'utf8').replaceAll('\r\n', '\n')).digest('hex')
  expect(Object.fromEntries(files.map((file) => [basename(dirname(file)), checksumOf(file).slice(0, 16)]))).toEqual(CHECKSUMS)
})
