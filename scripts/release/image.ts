/** The image of a release: built with deploy/Dockerfile and run, where docker, podman or buildah works and the base image is at hand. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { findFreePort } from '../testing/free-port.ts';

const BUILDERS = ['docker', 'podman', 'buildah'] as const;
type Builder = (typeof BUILDERS)[number];

const DOCKERFILE = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'deploy/Dockerfile');
const READY_TIMEOUT_MS = 120_000;
/** As deploy/compose.yaml: no capabilities, and a system that cannot be written. */
const HARDENING = '--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges'.split(' ');

const BuildahImage = z.object({
  OCIv1: z.object({ config: z.object({ Cmd: z.array(z.string()), User: z.literal('steward') }) }),
});

/** Base image of the build: that of the Dockerfile, or the one that STEWARD_IMAGE_BASE names. */
const getBase = (): string =>
  process.env['STEWARD_IMAGE_BASE'] ?? /^ARG BASE=(.+)$/m.exec(readFileSync(DOCKERFILE, 'utf8'))?.[1] ?? '';

const succeeds = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** The first program that works here and has the base image or can fetch it; undefined, with the reason on standard error. */
export function findImageBuilder(): Builder | undefined {
  const base = getBase();
  const working = BUILDERS.filter((builder) => succeeds(builder, 'info'));
  const found = working.find(
    (builder) => succeeds(builder, 'inspect', '--type', 'image', base) || succeeds(builder, 'pull', base),
  );
  if (found === undefined)
    console.error(
      working.length === 0
        ? 'The image is not built: neither docker, podman nor buildah works here.'
        : `The image is not built: ${working.join(', ')} cannot fetch ${base}.`,
    );
  return found;
}

/** Builds the image from the archive in `folder`. @returns its name */
function buildImage(builder: Builder, folder: string, version: string): string {
  const image = `steward:${version}`;
  const values = [`VERSION=${version}`, `BASE=${getBase()}`].flatMap((value) => ['--build-arg', value]);
  execFileSync(builder, ['build', '-f', DOCKERFILE, ...values, '-t', image, folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return image;
}

/** The command that runs the image with the service on a port of this machine, and what removes its container. */
function prepareRun(builder: Builder, image: string, port: number): { args: string[]; remove: string[] } {
  const name = `steward-image-test-${port}`;
  if (builder !== 'buildah') {
    const options = ['--name', name, '-p', `127.0.0.1:${port}:4400`, '-e', 'STEWARD_SAMPLE=off'];
    // A container outlives the command that was killed, and its volume the container.
    return {
      args: ['run', ...HARDENING, ...options, image],
      remove: ['rm', '--force', '--volumes', name],
    };
  }
  // It runs commands of a build: the one of the image has to be named, and the network is that of this machine.
  const described: unknown = JSON.parse(
    execFileSync(builder, ['inspect', '--type', 'image', image], { encoding: 'utf8' }),
  );
  const { Cmd } = BuildahImage.parse(described).OCIv1.config;
  execFileSync(builder, ['from', '--name', name, image], { stdio: 'ignore' });
  const options = ['--env', `PORT=${port}`, '--env', 'STEWARD_SAMPLE=off', '--cap-drop', 'all'];
  return { args: ['run', ...options, name, '--', ...Cmd], remove: ['rm', name] };
}

/**
 * Builds the image of the release in `folder`, runs it until it is ready, and stops it.
 * @returns name of the image
 * @throws Error when it does not start, or does not stop with code 0 (docker and podman)
 */
export async function testImage(builder: Builder, folder: string, version: string): Promise<string> {
  const image = buildImage(builder, folder, version);
  const port = await findFreePort();
  const { args, remove } = prepareRun(builder, image, port);
  const container = spawn(builder, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(container, 'exit');
  try {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok ?? false;
    while (!(await isReady())) {
      if (container.exitCode !== null) throw new Error(`The container ended with code ${container.exitCode}`);
      if (Date.now() > deadline) throw new Error('The container does not get ready');
      await sleep(100);
    }
    container.kill('SIGTERM');
    await exited;
    // buildah kills the process that it runs.
    if (container.exitCode !== 0 && builder !== 'buildah')
      throw new Error(`The container stopped with code ${container.exitCode}`);
  } finally {
    container.kill('SIGKILL');
    spawnSync(builder, remove, { stdio: 'ignore' });
  }
  return image;
}
