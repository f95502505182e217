import { render } from 'preact';
import { AnnouncerContext, type Announcement } from '../parts/announcer.js';
import { type Route } from '../state/route.js';
import { SessionContext, type Session } from '../state/session.js';
import { RepositoryPage } from './repository/repository-page.js';
import { Setup } from './setup/setup.js';

interface ManagedProps extends Route {
  session: Session;
  announce: (announcement: Announcement) => void;
}

/** Draws a page into an element, or removes it (null). */
export function show(root: Element, props: ManagedProps | null): void {
  render(props && <Page {...props} />, root);
}

function Page({ path, query, session, announce }: ManagedProps) {
  const [view, first = '', tab = ''] = path;
  return (
    <SessionContext.Provider value={session}>
      <AnnouncerContext.Provider value={announce}>
        {view === 'repositories' ? (
          <RepositoryPage key={first} repositoryId={first} tab={tab} query={query} />
        ) : (
          <Setup page={first} />
        )}
      </AnnouncerContext.Provider>
    </SessionContext.Provider>
  );
}
