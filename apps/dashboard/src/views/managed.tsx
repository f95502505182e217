import { useEffect, useRef, useState } from 'preact/hooks';
import type * as manage from '../manage/main.js';
import { useAnnounce } from '../parts/announcer.js';
import { type Route } from '../state/route.js';
import { useSession } from '../state/session.js';

type Manage = typeof manage;
let loading: Promise<Manage> | undefined;

/**
 * Shows a page of manage.js: one repository, or a form. That bundle has its own copy of the parts, so that it fits even
 * when it comes from a pod of another version.
 */
export function Managed({ path, query }: Route) {
  const root = useRef<HTMLDivElement>(null);
  const [module, setModule] = useState<Manage | null>(null);
  const [isFailed, setIsFailed] = useState(false);
  const session = useSession();
  const announce = useAnnounce();
  useEffect(() => {
    loading ??= import(new URL('./manage.js', import.meta.url).href) as Promise<Manage>;
    loading.then(
      (loaded) => setModule(() => loaded),
      () => {
        loading = undefined;
        setIsFailed(true);
      },
    );
  }, []);
  useEffect(() => {
    if (module && root.current) module.show(root.current, { path, query, session, announce });
  });
  useEffect(() => {
    const element = root.current;
    return () => {
      if (module && element) module.show(element, null);
    };
  }, [module]);
  return (
    <>
      {isFailed && (
        <p class="notice notice-bad" role="alert">
          This page could not be loaded. <a href="">Reload</a>
        </p>
      )}
      {!module && !isFailed && (
        <p class="faint" aria-busy="true">
          Loading…
        </p>
      )}
      <div ref={root} />
    </>
  );
}
