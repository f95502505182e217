import { Body, Get, Param, Put, Query } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { DeclarationRounds, DeclaredResources } from '@adapters/postgres';
import { ApiRoute, Resource } from '../http/api-route.js';
import { fieldsOf, type Given } from '../http/model.js';
import { existing, InvalidRequest, refusedValue } from '../http/problem.js';
import { CallerName, RequireRole } from '../access/role.js';
import {
  DeclarationQueryDto,
  DeclarationRoundDto,
  DeclaredResourceListDto,
  ReplaceDeclarationDto,
} from './declaration.schema.js';

const NAME = /^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?$/;
const NAME_PARAMETER = {
  name: 'name',
  description: 'Name of the declaration.',
  schema: { type: 'string' as const, pattern: NAME.source, example: 'default' },
};

/** What `repotide apply` declared from files. The rows are marks: other routes show the resources themselves. */
@Resource('declarations')
export class DeclarationsController {
  constructor(
    private readonly declared: DeclaredResources,
    private readonly rounds: DeclarationRounds,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List what was declared in files',
    description:
      'A declared resource is changed in its files: the next `repotide apply` undoes an edit by hand.',
    answers: DeclaredResourceListDto,
  })
  listDeclared(@Query({ schema: DeclarationQueryDto }) query: Given<typeof DeclarationQueryDto>) {
    return this.declared.list(query, query);
  }

  @Get(':name')
  @RequireRole('viewer')
  @ApiParam(NAME_PARAMETER)
  @ApiRoute({
    summary: 'Whether the service equals its declared resources',
    description:
      'What the leader found when it last compared the service with the files of DECLARED_RESOURCES, which are the declaration `installation`. Nothing is recorded here for other declarations.',
    answers: DeclarationRoundDto,
    problems: { 404: '`declaration_not_found`: the leader has compared no such declaration.' },
  })
  async readRound(@Param('name') name: string) {
    assertName(name);
    return existing(await this.rounds.find(name), 'declaration', name);
  }

  @Put(':name')
  @RequireRole('admin')
  @ApiParam(NAME_PARAMETER)
  @ApiRoute({
    summary: 'Record what was declared in files',
    description:
      'Replaces the marks of this declaration, and changes no resource. `repotide apply` calls it at its end.',
    answers: DeclaredResourceListDto,
    problems: { 422: '`value_refused`: two resources of a kind have the same key.' },
  })
  replaceDeclaration(
    @Param('name') name: string,
    @Body({ schema: ReplaceDeclarationDto }) { resources }: Given<typeof ReplaceDeclarationDto>,
    @CallerName() appliedBy: string | null,
  ) {
    assertName(name);
    assertDistinct(resources);
    return this.declared.replace(name, resources.map(fieldsOf), appliedBy);
  }
}

function assertName(name: string): void {
  if (NAME.test(name)) return;
  const message =
    'name must be 1 to 100 small letters, digits, ".", "_" and "-", without these three at its ends.';
  throw new InvalidRequest([{ field: 'name', message }]);
}

function assertDistinct(resources: Given<typeof ReplaceDeclarationDto>['resources']): void {
  if (new Set(resources.map(({ kind, key }) => `${kind} ${key}`)).size === resources.length) return;
  throw refusedValue('resources.key', 'resources.key must be unique within a kind.');
}
