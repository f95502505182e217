import { linkTo, useTitle } from '../../state/route.js';
import { useSession } from '../../state/session.js';
import { Empty } from '../../parts/loadable.js';
import { Connect } from '../connect/connect.js';
import { Credentials } from './credentials.js';
import { EventWebhooks } from './event-webhooks.js';
import { DiscoveryList } from './discovery-list.js';
import { RegisterRepository } from './register-repository.js';
import { ServiceSettings } from './service-settings.js';
import { Tokens } from './tokens.js';

/** Everything that an admin sets up. The URL names the part. */
export function Setup({ page }: { page: string }) {
  useTitle(page === 'connect' ? 'Connect a GitLab' : 'Set up');
  if (!useSession().can('admin')) {
    return <Empty title="Only an admin can set this up.">Sign in with a token of the role admin.</Empty>;
  }
  if (page === 'connect') return <Connect />;
  if (page === 'repository') return <RegisterRepository />;
  return (
    <>
      <h1>Set up</h1>
      <p class="row">
        <a class="button primary" href={linkTo('setup/connect')}>
          Connect a GitLab
        </a>
        <a class="button" href={linkTo('setup/repository')}>
          Add a repository
        </a>
      </p>
      <DiscoveryList />
      <Credentials />
      <Tokens />
      <EventWebhooks />
      <ServiceSettings />
    </>
  );
}
