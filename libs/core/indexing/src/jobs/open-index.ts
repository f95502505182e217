import { randomUUID } from 'node:crypto';
import { chooseGeneration } from '../run/choose-generation.js';
import {
  RepotideError,
  type Embedder,
  type IndexGeneration,
  type Manifest,
  type Repository,
} from '@core/domain';
import { type HandlerPorts } from './handler-ports.js';

/** What a run works on. */
export interface OpenIndex {
  generation: IndexGeneration;
  manifest: Manifest;
  /** The vector store's own name of the generation. */
  collection: string;
  /** With its state in the generation. */
  repository: Repository;
}

type Ports = Pick<HandlerPorts, 'generations' | 'embedders' | 'manifest'>;

/** The generation that this process writes, with the embedder of its model. @throws `embedding_model_unavailable` */
export async function openToWrite(
  ports: Ports,
  repository: Repository,
): Promise<OpenIndex & { embedder: Embedder }> {
  const choose = (found: IndexGeneration[]) => chooseGeneration(found, ports.embedders);
  const generation = await ports.generations.open(repository.collectionName, choose);
  const embedder = ports.embedders.find(generation);
  if (!embedder) {
    throw new RepotideError('internal', 'internal_error', `No embedder makes ${generation.modelId}.`);
  }
  return { ...(await open(ports, repository, generation)), embedder };
}

/** What {@link openToWrite} would open, without making it: one that is still to be made holds nothing. */
export async function openToPlan(
  ports: Ports,
  repository: Repository,
): Promise<Omit<OpenIndex, 'generation'> & { embedder: Embedder }> {
  const { collectionName } = repository;
  const choice = chooseGeneration(await ports.generations.list([collectionName]), ports.embedders);
  const { configured } = ports.embedders;
  if (choice.kind === 'use') {
    const embedder = ports.embedders.find(choice.generation) ?? configured;
    return { ...(await open(ports, repository, choice.generation)), embedder };
  }
  const manifest = ports.manifest.of(randomUUID());
  const state = await manifest.stateOf(repository.id);
  const blank = { ...repository, ...state };
  return { manifest, collection: collectionName, repository: blank, embedder: configured };
}

/** The active generation, whatever its model; null before the first run of the collection. */
export async function openToRead(ports: Ports, repository: Repository): Promise<OpenIndex | null> {
  const found = await ports.generations.list([repository.collectionName]);
  const active = found.find(({ status }) => status === 'active');
  return active ? open(ports, repository, active) : null;
}

async function open(ports: Ports, repository: Repository, generation: IndexGeneration): Promise<OpenIndex> {
  const manifest = ports.manifest.of(generation.id);
  const state = await manifest.stateOf(repository.id);
  return {
    generation,
    manifest,
    collection: generation.physicalName,
    repository: { ...repository, ...state },
  };
}
