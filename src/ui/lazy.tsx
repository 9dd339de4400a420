import { createElement, lazy, useState } from 'react';
import type { ComponentType } from 'react';

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

interface Preloadable {
  /** Loads the code before it is rendered; a failure is ignored, rendering tries again. */
  preload: () => void;
}

/**
 * A component whose code is loaded when it is first rendered or preloaded. Once loaded it renders without suspending,
 * so that React never shows a fallback for code that is already here.
 */
export function lazyWithPreload<Props extends object>(load: Load<Props>): ComponentType<Props> & Preloadable {
  let loaded: ComponentType<Props> | undefined;
  const loadOnce = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Suspending = lazy(loadOnce) as ComponentType<Props>;
  function LazyComponent(props: Props) {
    // Chosen once per instance: a change of the type would remount it and lose its state.
    const [Component] = useState(() => loaded ?? Suspending);
    return createElement(Component, props);
  }
  return Object.assign(LazyComponent, {
    preload: () => void loadOnce().catch(() => undefined),
  });
}
