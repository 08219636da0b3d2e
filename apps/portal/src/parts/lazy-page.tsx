import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem } from './problem';
import { t } from '../state/language';

/** A page whose script is loaded when it is first opened; its module's default export. */
export function lazyPage<P extends object>(load: () => Promise<{ readonly default: ComponentType<P> }>): ComponentType<P> {
  let ready: ComponentType<P> | null = null;
  return function LazyPage(props: P) {
    const [, setLoaded] = useState(ready !== null);
    const [error, setError] = useState<unknown>(null);
    useEffect(() => {
      if (ready) return;
      load().then((module) => {
        ready = module.default;
        setLoaded(true);
      }, setError);
    }, []);
    if (error) return <Problem of={error} again={() => location.reload()} />;
    if (!ready)
      return (
        <p class="waiting" role="status">
          {t('Loading …')}
        </p>
      );
    const Page = ready;
    return <Page {...props} />;
  };
}
