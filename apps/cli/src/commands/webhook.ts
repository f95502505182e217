import { type Command } from 'commander';
import { CommandFailure, EXIT, usageFailure } from '../failure.js';
import { confirm } from '../output/confirm.js';
import { printJson, printTable, shownTime } from '../output/tables.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { allPages, isId } from '../service/repositories.js';
import { examples, wholeNumber, words } from './options.js';
import { withService } from './with-service.js';

type Webhook = Schemas['EventWebhookDto'];

const EVENTS = [
  'run.finished',
  'repository.failing',
  'repository.recovered',
  'index.drifted',
  'index.lost',
] as const satisfies readonly Schemas['EventType'][];

export function addWebhookCommand(program: Command): void {
  const webhook = program.command('webhook').description('send events to other programs');
  addAdd(webhook);
  addList(webhook);
  addTest(webhook);
  addEnable(webhook);
  addRemove(webhook);
  addDeliveries(webhook);
}

interface NewWebhook {
  event?: Schemas['EventType'][];
  scope?: string[];
  json?: boolean;
}

function addAdd(webhook: Command): void {
  const add = webhook
    .command('add')
    .description('send events to an address; prints the secret that signs them, once')
    .argument('<name>', 'a name for people')
    .argument('<url>', 'receives each event as a POST')
    .option('-e, --event <names>', `what is sent: ${EVENTS.join(', ')}`, words(EVENTS))
    .option('--scope <pattern...>', 'only of these groups and projects')
    .option('--json', 'print the row as JSON')
    .action(async (name: string, url: string, options: NewWebhook, command: Command) => {
      const { event: events = [], scope } = options;
      if (events.length === 0) throw usageFailure('event_required', `Give --event: ${EVENTS.join(', ')}.`);
      const body = { name, url, events, ...(scope !== undefined && { scope }) };
      const row = await withService(command, ({ client }) =>
        answerOf(client.POST('/api/v1/event-webhooks', { body })),
      );
      if (options.json) printJson(row);
      else process.stdout.write(`Added ${row.id}. It signs with ${row.secret}, which is not shown again.\n`);
    });
  examples(
    add,
    'repotide webhook add chat https://hooks.example.com/repotide --event repository.failing,index.drifted',
    'repotide webhook add deploy https://ci.example.com/in --event run.finished --scope platform',
  );
}

function addList(webhook: Command): void {
  const list = webhook
    .command('list')
    .alias('ls')
    .description('list webhooks and whether they work')
    .option('--json', 'print the rows as JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const items = await withService(command, ({ client }) => allWebhooks(client));
      if (options.json) printJson(items);
      else
        printTable(
          ['name', 'state', 'events', 'waiting', 'id'],
          items.map((each) => [
            each.name,
            stateOf(each),
            each.events.join(', '),
            String(each.pending_count),
            each.id,
          ]),
          'There is no webhook yet. "repotide webhook add --help" shows how to add one.',
        );
    });
  examples(list, 'repotide webhook list --json');
}

function addTest(webhook: Command): void {
  const test = webhook
    .command('test')
    .description('send a test event now; exits with 1 when the receiver does not accept it')
    .argument('<webhook>', 'name or id')
    .option('--json', 'print the delivery as JSON')
    .action(async (name: string, options: { json?: boolean }, command: Command) => {
      const delivery = await withService(command, async ({ client }) => {
        const { id } = await findWebhook(client, name);
        return answerOf(client.POST('/api/v1/event-webhooks/{id}/test', { params: { path: { id } } }));
      });
      if (options.json) printJson(delivery);
      else if (delivery.status === 'delivered')
        process.stdout.write(`The receiver answered ${delivery.response_status}.\n`);
      if (delivery.status !== 'delivered')
        throw new CommandFailure(EXIT.failed, 'event_not_delivered', delivery.error ?? 'Not delivered.');
    });
  examples(test, 'repotide webhook test chat');
}

function addEnable(webhook: Command): void {
  const enable = webhook
    .command('enable')
    .description('send events again to a webhook that was disabled')
    .argument('<webhook>', 'name or id')
    .action(async (name: string, _options: object, command: Command) => {
      await withService(command, async ({ client }) => {
        const { id } = await findWebhook(client, name);
        const body = { is_enabled: true };
        await answerOf(client.PATCH('/api/v1/event-webhooks/{id}', { params: { path: { id } }, body }));
      });
      process.stdout.write(`Enabled ${name}.\n`);
    });
  examples(enable, 'repotide webhook enable chat');
}

function addRemove(webhook: Command): void {
  const remove = webhook
    .command('remove')
    .alias('rm')
    .description('delete a webhook and the list of its deliveries')
    .argument('<webhook>', 'name or id')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { yes?: boolean }, command: Command) => {
      await withService(command, async ({ client }) => {
        const { id } = await findWebhook(client, name);
        await confirm(`Delete the webhook "${name}"?`, options.yes);
        await answerOf(client.DELETE('/api/v1/event-webhooks/{id}', { params: { path: { id } } }));
      });
      process.stdout.write(`Deleted the webhook ${name}.\n`);
    });
  examples(remove, 'repotide webhook remove chat --yes');
}

function addDeliveries(webhook: Command): void {
  const deliveries = webhook
    .command('deliveries')
    .description('list what was sent, newest first')
    .argument('<webhook>', 'name or id')
    .option('-n, --limit <rows>', 'how many; default: 20', wholeNumber(1, 500))
    .option('--json', 'print the rows as JSON')
    .action(async (name: string, options: { limit?: number; json?: boolean }, command: Command) => {
      const { items } = await withService(command, async ({ client }) => {
        const { id } = await findWebhook(client, name);
        const params = { path: { id }, query: { limit: options.limit ?? 20 } };
        return answerOf(client.GET('/api/v1/event-webhooks/{id}/deliveries', { params }));
      });
      if (options.json) printJson(items);
      else
        printTable(
          ['written at', 'event', 'status', 'sent', 'answer'],
          items.map((each) => [
            shownTime(each.created_at),
            each.event_type,
            each.status,
            String(each.attempts),
            each.error ?? String(each.response_status ?? ''),
          ]),
          `Nothing was sent yet. Send a test: repotide webhook test ${name}`,
        );
    });
  examples(deliveries, 'repotide webhook deliveries chat --limit 5');
}

function stateOf({ disabled_reason: reason, failing_since: since }: Webhook): string {
  if (reason !== null) return `disabled: ${reason}`;
  return since === null ? 'works' : `fails since ${shownTime(since)}`;
}

function allWebhooks(client: RepotideClient): Promise<Webhook[]> {
  return allPages((page) => answerOf(client.GET('/api/v1/event-webhooks', { params: { query: page } })));
}

/** @throws CommandFailure `webhook_not_found`. */
async function findWebhook(client: RepotideClient, name: string): Promise<Webhook> {
  if (isId(name))
    return answerOf(client.GET('/api/v1/event-webhooks/{id}', { params: { path: { id: name } } }));
  const found = (await allWebhooks(client)).find((each) => each.name === name);
  if (found) return found;
  const message = `There is no webhook "${name}". "repotide webhook list" lists them.`;
  throw new CommandFailure(EXIT.failed, 'webhook_not_found', message);
}
