import { CommandFailure, EXIT, usageFailure } from '../failure.js';
import { confirm } from '../output/confirm.js';
import { printJson, shownTime, table } from '../output/tables.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { allPages, isId } from '../service/repositories.js';
import { words } from './options.js';
import { type ServiceCommand } from './service-command.js';
import { withService } from './with-service.js';

type Webhook = Schemas['EventWebhookDto'];

const EVENTS = [
  'run.finished',
  'repository.failing',
  'repository.recovered',
  'index.drifted',
  'index.lost',
] as const satisfies readonly Schemas['EventType'][];

export function addWebhookCommand(program: ServiceCommand): void {
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
}

function addAdd(webhook: ServiceCommand): void {
  webhook
    .command('add')
    .description('send events to an address; prints the secret that signs them, once')
    .argument('<name>', 'a name for people')
    .argument('<url>', 'receives each event as a POST')
    .option('-e, --event <names>', `what is sent: ${EVENTS.join(', ')}`, words(EVENTS))
    .option('--scope <pattern...>', 'only of these groups and projects')
    .json()
    .answers(
      ({ client }, name: string, url: string, { event: events = [], scope }: NewWebhook) => {
        if (events.length === 0) throw usageFailure('event_required', `Give --event: ${EVENTS.join(', ')}.`);
        return answerOf(client.POST('/api/v1/event-webhooks', { body: { name, url, events, scope } }));
      },
      (row) => `Added ${row.id}. It signs with ${row.secret}, which is not shown again.`,
    )
    .examples(
      'repotide webhook add chat https://hooks.example.com/repotide --event repository.failing,index.drifted',
      'repotide webhook add deploy https://ci.example.com/in --event run.finished --scope platform',
    );
}

function addList(webhook: ServiceCommand): void {
  webhook
    .command('list')
    .alias('ls')
    .description('list webhooks and whether they work')
    .json('the rows')
    .answers(
      ({ client }) => allWebhooks(client),
      (items) =>
        table(
          ['name', 'state', 'events', 'waiting', 'id'],
          items.map((each) => [
            each.name,
            stateOf(each),
            each.events.join(', '),
            each.pending_count,
            each.id,
          ]),
          'There is no webhook yet. "repotide webhook add --help" shows how to add one.',
        ),
    )
    .examples('repotide webhook list --json');
}

function addTest(webhook: ServiceCommand): void {
  webhook
    .command('test')
    .description('send a test event now; exits with 1 when the receiver does not accept it')
    .argument(...WEBHOOK)
    .json('the delivery')
    .action(async (name: string, options: { json?: boolean }, command: ServiceCommand) => {
      const delivery = await withService(command, async ({ client }) => {
        const { id } = await findWebhook(client, name);
        return answerOf(client.POST('/api/v1/event-webhooks/{id}/test', { params: { path: { id } } }));
      });
      const { status, response_status: answer, error } = delivery;
      if (options.json) printJson(delivery);
      else if (status === 'delivered') process.stdout.write(`The receiver answered ${answer}.\n`);
      if (status !== 'delivered')
        throw new CommandFailure(EXIT.failed, 'event_not_delivered', error ?? 'Not delivered.');
    })
    .examples('repotide webhook test chat');
}

function addEnable(webhook: ServiceCommand): void {
  webhook
    .command('enable')
    .description('send events again to a webhook that was disabled')
    .argument(...WEBHOOK)
    .answers(
      async ({ client }, name: string) => {
        const { id } = await findWebhook(client, name);
        const body = { is_enabled: true };
        return answerOf(client.PATCH('/api/v1/event-webhooks/{id}', { params: { path: { id } }, body }));
      },
      (_row, name) => `Enabled ${name}.`,
    )
    .examples('repotide webhook enable chat');
}

function addRemove(webhook: ServiceCommand): void {
  webhook
    .command('remove')
    .alias('rm')
    .description('delete a webhook and the list of its deliveries')
    .argument(...WEBHOOK)
    .confirmed()
    .answers(
      async ({ client }, name: string, options: { yes?: boolean }) => {
        const { id } = await findWebhook(client, name);
        await confirm(`Delete the webhook "${name}"?`, options.yes);
        await answerOf(client.DELETE('/api/v1/event-webhooks/{id}', { params: { path: { id } } }));
      },
      (_nothing, name) => `Deleted the webhook ${name}.`,
    )
    .examples('repotide webhook remove chat --yes');
}

function addDeliveries(webhook: ServiceCommand): void {
  webhook
    .command('deliveries')
    .description('list what was sent, newest first')
    .argument(...WEBHOOK)
    .limit(20)
    .json('the rows')
    .answers(
      async ({ client }, name: string, { limit }: { limit: number }) => {
        const { id } = await findWebhook(client, name);
        const params = { path: { id }, query: { limit } };
        const { items } = await answerOf(client.GET('/api/v1/event-webhooks/{id}/deliveries', { params }));
        return items;
      },
      (items, name) =>
        table(
          ['written at', 'event', 'status', 'sent', 'answer'],
          items.map(
            ({ created_at: at, event_type: event, status, attempts, error, response_status: answer }) => [
              ...[shownTime(at), event, status, attempts],
              error ?? String(answer ?? ''),
            ],
          ),
          `Nothing was sent yet. Send a test: repotide webhook test ${name}`,
        ),
    )
    .examples('repotide webhook deliveries chat --limit 5');
}

const WEBHOOK = ['<webhook>', 'name or id'] as const;

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
