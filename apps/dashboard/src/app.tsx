import { Announcer } from './parts/announcer.js';
import { useRoute, type Route } from './state/route.js';
import { SessionContext, useSessionState, type Session } from './state/session.js';
import { useTitle } from './state/use-title.js';
import { Charts } from './views/charts.js';
import { Cluster } from './views/cluster.js';
import { ExecutionDetails } from './views/execution-details.js';
import { History } from './views/history.js';
import { Index } from './views/index-view.js';
import { Now } from './views/now.js';
import { Repositories } from './views/repositories.js';
import { Search } from './views/search.js';
import { SignIn } from './views/sign-in.js';

const PAGES = [
  ['', 'Now'],
  ['repositories', 'Repositories'],
  ['history', 'History'],
  ['charts', 'Charts'],
  ['index', 'Index'],
  ['cluster', 'Locks & pods'],
  ['search', 'Search'],
] as const;

export function App() {
  const { session, notice, signIn } = useSessionState();
  if (!session) return <SignIn notice={notice} onSignIn={signIn} />;
  return (
    <SessionContext.Provider value={session}>
      <Announcer>
        <Shell session={session} />
      </Announcer>
    </SessionContext.Provider>
  );
}

function Shell({ session }: { session: Session }) {
  const route = useRoute();
  const here = route.path[0] ?? '';
  useTitle(route.path.length > 1 ? 'Run' : (PAGES.find(([path]) => path === here)?.[1] ?? ''));
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href="#/">
          <img src="assets/icon.svg" alt="" width="28" height="28" /> Repotide
        </a>
        <nav aria-label="Views">
          {PAGES.map(([path, title]) => (
            <a key={path} href={`#/${path}`} aria-current={here === path ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <div class="who">
          {session.identity && (
            <span class="faint">
              {session.identity.name} · {session.identity.role}
            </span>
          )}
          <button type="button" onClick={session.signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <View route={route} />
      </main>
    </>
  );
}

function View({ route: { path, query } }: { route: Route }) {
  const [view, id] = path;
  if (view === undefined) return <Now />;
  if (view === 'repositories') return <Repositories query={query} />;
  if (view === 'history' && id !== undefined) return <ExecutionDetails executionId={id} />;
  if (view === 'history') return <History query={query} />;
  if (view === 'charts') return <Charts query={query} />;
  if (view === 'index') return <Index />;
  if (view === 'cluster') return <Cluster />;
  if (view === 'search') return <Search query={query} />;
  return (
    <p>
      There is no such view. <a href="#/">To what runs now</a>
    </p>
  );
}

/** The fragment is the route, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
