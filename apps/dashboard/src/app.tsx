import { Announcer } from './parts/announcer.js';
import { DensitySwitch } from './parts/density.js';
import { useKeptFocus } from './state/kept-focus.js';
import { useRoute, useTitle, type Route } from './state/route.js';
import { SessionContext, useSessionState, type Session } from './state/session.js';
import { Charts } from './views/charts.js';
import { Cluster } from './views/cluster.js';
import { IndexState } from './views/index-state.js';
import { Managed } from './views/managed.js';
import { Now } from './views/now/now.js';
import { Repositories } from './views/repositories/repositories.js';
import { ExecutionDetails } from './views/runs/execution-details.js';
import { History } from './views/runs/history.js';
import { Search } from './views/search.js';
import { SignIn } from './views/sign-in.js';

const PAGES = {
  '': ['Now', Now],
  repositories: ['Repositories', Repositories],
  history: ['History', History],
  charts: ['Charts', Charts],
  index: ['Index', IndexState],
  cluster: ['Cluster', Cluster],
  search: ['Search', Search],
} as const;

/** Pages with forms, which are loaded when one of them is opened. */
const SETUP = 'setup';

export function App() {
  const { session, notice, isUnknown, signIn } = useSessionState();
  if (!session && isUnknown) return null;
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
  const current = route.path[0] ?? '';
  useKeptFocus();
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <header>
        <a class="brand" href="#/">
          <img src="assets/icon.svg" alt="" width="28" height="28" /> Repotide
        </a>
        <nav aria-label="Main">
          {Object.entries(PAGES).map(([path, [title]]) => (
            <a key={path} href={`#/${path}`} aria-current={current === path ? 'page' : undefined}>
              {title}
            </a>
          ))}
          {session.can('admin') && (
            <a href={`#/${SETUP}`} aria-current={current === SETUP ? 'page' : undefined}>
              Set up
            </a>
          )}
        </nav>
        <div class="who">
          {session.identity && (
            <span class="faint">
              {session.identity.name} · {session.identity.role}
            </span>
          )}
          <DensitySwitch />
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
  const [view = '', id] = path;
  const isManaged = view === SETUP || (view === 'repositories' && id !== undefined);
  const [title, Page] = Object.hasOwn(PAGES, view) ? PAGES[view as keyof typeof PAGES] : [];
  useTitle(isManaged ? (view === SETUP ? 'Set up' : 'Repository') : id === undefined ? (title ?? '') : 'Run');
  if (isManaged) return <Managed path={path} query={query} />;
  if (view === 'history' && id !== undefined) return <ExecutionDetails executionId={id} query={query} />;
  if (Page) return <Page query={query} />;
  return (
    <p>
      Page not found. <a href="#/">Go to Now</a>
    </p>
  );
}

/** The fragment holds the route, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
