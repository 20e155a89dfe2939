/** What operators are told of accounts, people, credit and codes. */
export const accounts = {
  'This account belongs to an owner. Only another owner can do this.': '这是所有者的账户，只有其他所有者才能进行此操作。',
  'You cannot change the balance of your own account. Ask an owner.': '不能更改自己账户的余额，请联系所有者。',
  'This position in the list is invalid. Start again from the beginning.': '列表中的位置无效，请从头开始。',
  'Only an operator can grant credit.': '只有运营者才能发放额度。',
  'The amount must be above zero and at most one billion.': '金额必须大于零，且不超过十亿。',
  'This id belongs to another entry. Start the grant again.': '此 ID 属于另一条记录，请重新发放。',
  'This account is permanently closed and cannot receive credit.': '此账户已永久注销，不能发放额度。',
  'The balance would exceed its maximum. Grant less.': '账户余额将超过上限，请减少金额。',
  'Only {free} is available. The rest was spent, or is held for requests in progress. Deduct less.':
    '可用的只有 {free}，其余已消费或被进行中的请求冻结。请减少金额。',
  'This belongs to another entry. Start again.': '此操作属于另一条记录，请重新开始。',
  'There is no such person.': '没有这个成员。',
  'Only an owner can assign roles.': '只有所有者才能指定角色。',
  'You cannot change your own role. Ask another owner.': '不能更改自己的角色，请联系其他所有者。',
  'This email address is not confirmed yet, so it could belong to anybody. Have it confirmed first.':
    '此邮箱尚未确认，无法证实是谁在使用。请先让对方确认。',
  'Somebody else has changed this role. Reload the page.': '此角色已被他人更改，请重新加载页面。',
  'Only an owner can reset two-step verification.': '只有所有者才能重置两步验证。',
  'Turn off your own two-step verification in your settings.': '请在自己的设置中关闭两步验证。',
  'This account has no such key.': '此账户没有这个密钥。',
  'This account is permanently closed.': '此账户已永久注销。',
  'This account is already suspended.': '此账户已经停用。',
  'You cannot suspend your own account.': '不能停用自己的账户。',
  'This account is not suspended.': '此账户未被停用。',
  'You cannot lift the suspension of your own account. Ask another owner or operator.':
    '不能恢复自己的账户，请联系其他所有者或运营者。',
  'This account owes money and stays suspended until the debt is paid. Grant credit if necessary.':
    '此账户有欠款，付清前保持停用。必要时可发放额度。',
  'These codes were already created and cannot be shown again. Withdraw them and create new ones.':
    '这些兑换码已经生成过，无法再次显示。请作废后重新生成。',
  'There is no such code.': '没有这个兑换码。',
  'This code was already redeemed or withdrawn.': '此兑换码已兑换或已作废。',
  'All of these codes were already redeemed or withdrawn.': '这些兑换码均已兑换或已作废。',
} as const
