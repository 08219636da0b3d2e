import { roleRequired } from '#identity';
import { type Actor, hasRole } from '#kernel';
import { Injectable } from '@nestjs/common';
import { Corrections, type PreparedDeclaration, type VoidRequest } from '../contract.js';
import { CORRECTORS } from './find-event.js';
import { PrepareVoid } from './prepare-void.js';

/** The route's own guard asks for the role; whoever comes by another route is asked here. */
@Injectable()
export class VoidForOthers extends Corrections {
  constructor(private readonly prepareVoid: PrepareVoid) {
    super();
  }

  override async void(actor: Actor, request: VoidRequest): Promise<PreparedDeclaration> {
    if (!hasRole(actor, ...CORRECTORS)) throw roleRequired(CORRECTORS);
    return this.prepareVoid.prepare(actor, { ...request, metadata: {} });
  }
}
