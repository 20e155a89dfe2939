/** What operators are told of connections, models, prices, deployments and groups. */
export const catalog = {
  connection: '连接',
  model: '模型',
  price: '价格',
  deployment: '部署',
  group: '分组',
  'There is no such {thing}, or something that it names is not there.': '没有这个{thing}，或它所引用的内容不存在。',
  'Somebody else has changed this {thing} ({id}) since you opened it. Load it again, then make your change.':
    '您打开之后，他人更改了此{thing}（{id}）。请重新加载后再更改。',
  'There is a connection of this name already, maybe an archived one. Choose another name.':
    '已有同名的连接，可能已归档。请换一个名称。',
  'There is a model of this name already, maybe an archived one. Choose another name, or restore it.':
    '已有同名的模型，可能已归档。请换一个名称，或恢复它。',
  'Another price of this model starts at this very moment. Choose another one.':
    '此模型已有另一个价格在同一时刻开始，请选择其他时间。',
  'This connection runs this model under this name already, maybe archived. Restore it.':
    '此连接已以该名称运行此模型，可能已归档。请恢复它。',
  'There is a group of this name already, maybe an archived one. Choose another name.':
    '已有同名的分组，可能已归档。请换一个名称。',
  'This price is not there any more.': '此价格已不存在。',
  'This price holds already, or is about to. Set another one instead.': '此价格已生效或即将生效，请改为设置另一个价格。',
  'There is no such connection.': '没有这个连接。',
  'There is no such connection in use. Choose another one.': '没有这个使用中的连接，请选择其他连接。',
  'There is no connection "{connection}".': '没有连接“{connection}”。',
  'There is no model "{model}".': '没有模型“{model}”。',
  'There is no such group.': '没有这个分组。',
  'There is no such deployment, or it is archived.': '没有这个部署，或已归档。',
  'This connection is archived. Restore it first.': '此连接已归档，请先恢复。',
  'This group is archived. Restore it first.': '此分组已归档，请先恢复。',
  'This is the default group. Make another one the default first.': '这是默认分组，请先将其他分组设为默认。',
  'The default group is what every account can choose. Open it to all, or make another one the default.':
    '默认分组须可供所有账户选择。请对所有人开放，或将其他分组设为默认。',
  'There is no account of "{name}". Write an email address or an id.': '没有账户“{name}”，请填写邮箱或 ID。',
  'There is no kind of connection "{kind}".': '没有“{kind}”这种连接。',
  '"{name}" is a connection of the kind {kind}, and stays one. Choose another name.':
    '“{name}”是 {kind} 类型的连接，类型不能更改。请换一个名称。',
  'The variable {variable} is not set.': '未设置变量 {variable}。',
  'Where does it listen? Write its address, for example http://localhost:11434/v1.':
    '它在哪里监听？请填写地址，例如 http://localhost:11434/v1。',
  'An address may not hold a name and a password: it is shown. Put them into a header.':
    '地址会被显示，不能包含用户名和密码。请放入请求头。',
  '{vendor} needs this.': '{vendor} 需要此项。',
  'This does not look right.': '格式不正确。',
  '{vendor} takes no "{field}".': '{vendor} 没有“{field}”字段。',
  'The header "{name}" has no value yet. Write one.': '请求头“{name}”还没有值，请填写。',
  'This would send the credentials to another place. Give them again.': '这会把凭证发送到其他地方，请重新填写凭证。',
  'This would send the headers to another place. Give their values again.': '这会把请求头发送到其他地方，请重新填写其值。',
  '{name} could not be asked: {why}.': '无法询问 {name}：{why}。',
  'No price is known for "{model}". Write one.': '不知道“{model}”的价格，请填写。',
  '"{model}" is chosen twice.': '“{model}”被选择了两次。',
  'An answer cannot be longer than the context window.': '回答不能超过上下文窗口。',
  'A model of this kind needs the price of {units}.': '此类模型需要 {units} 的价格。',
  'A model of this kind needs the price of "output".': '此类模型需要“output”的价格。',
  '{these} or {unit}': '{these} 或 {unit}',
  'A price cannot start in the past: what was charged stays as it was. Choose a later time.':
    '价格不能从过去开始，已收的费用不变。请选择更晚的时间。',
  'There is no usage in it.': '其中没有用量。',
  '{to} is before {from}.': '{to} 早于 {from}。',
} as const
