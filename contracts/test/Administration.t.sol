// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract AdministrationTest is TenantTest {
    function test_theFirstAdminMayAlsoOperateAndRecall() public view {
        equal(lots.accountOf(admin).roles, 1 | OPERATOR_ALL | RECALLER, "roles");
    }

    function test_anOutsiderMayDoNothing() public {
        uint256 id = mint(farm, 10);
        uint256 no = offer(farm, id, mill);
        bytes32[] memory processes = new bytes32[](1);
        refuses(outsider, mintCall(output(outsider, 1)), notAuthorized(outsider, PROCESS));
        refuses(outsider, acceptCall(no, id), notCustodian(id, outsider));
        refuses(outsider, rejectCall(no, id), notCustodian(id, outsider));
        refuses(outsider, cancelCall(no, id), notCustodian(id, outsider));
        refuses(outsider, abi.encodeCall(TenantLots.recall, (id, WHY)), notAuthorized(outsider, 0));
        refuses(outsider, abi.encodeCall(TenantLots.recallMany, (one(id), WHY)), notAuthorized(outsider, 0));
        refuses(outsider, abi.encodeCall(TenantLots.setRoles, (outsider, 1)), notAuthorized(outsider, 0));
        refuses(outsider, abi.encodeCall(TenantLots.setProcessScope, (outsider, processes, true)), notAuthorized(outsider, 0));
        refuses(outsider, abi.encodeCall(TenantLots.pause, (block.timestamp + 1)), notAuthorized(outsider, 0));
        refuses(outsider, abi.encodeCall(TenantLots.proposeWallet, (farm, outsider)), notAuthorized(outsider, 0));
    }

    function test_anOperatorRecordsTheProcessesOfItsScopeOnly() public {
        mint(lab, 1);
        TenantLots.Output[] memory outputs = output(lab, 1);
        bytes memory other = abi.encodeCall(TenantLots.recordEvent, (fresh(), "OTHER", none(), none(), outputs, 0, "content"));
        refuses(lab, other, notAuthorized(lab, "OTHER"));
        allow(lab, "OTHER", true);
        vm.prank(lab);
        (bool ok,) = address(lots).call(other);
        require(ok, "in scope");
        allow(lab, "OTHER", false);
        TenantLots.EventRef memory e = TenantLots.EventRef(fresh(), "OTHER", "content");
        refuses(lab, abi.encodeCall(TenantLots.retire, (one(1), one(ALL), SOLD, e)), notAuthorized(lab, "OTHER"));
    }

    function test_aScopeIsNothingWithoutTheRole() public {
        allow(outsider, PROCESS, true);
        refuses(outsider, mintCall(output(outsider, 1)), notAuthorized(outsider, PROCESS));
        grant(outsider, RECALLER);
        refuses(outsider, mintCall(output(outsider, 1)), notAuthorized(outsider, PROCESS));
    }

    function test_rolesAreSetAllAtOnceAndUnknownBitsDropped() public {
        vm.recordLogs();
        grant(lab, type(uint256).max);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(lots.accountOf(lab).roles, 31, "roles");
        equal(keccak256(logs[0].data), keccak256(abi.encode(31)), "the log says what holds");
        grant(lab, OPERATOR);
        equal(lots.accountOf(lab).roles, OPERATOR, "the others are gone");
    }

    function test_thereIsAlwaysAnAdmin() public {
        refuses(admin, abi.encodeCall(TenantLots.setRoles, (admin, OPERATOR_ALL)), abi.encodeWithSelector(TenantLots.LastAdmin.selector));
        grant(farm, 1);
        vm.prank(farm);
        lots.setRoles(admin, 0);
        refuses(admin, abi.encodeCall(TenantLots.setRoles, (farm, 0)), notAuthorized(admin, 0));
    }

    function test_aPauseStopsWhatCannotBeTakenBack() public {
        uint256 id = mint(farm, 10);
        uint256 offered = mint(farm, 10);
        uint256 no = offer(farm, offered, mill);
        TenantLots.Header memory header = recordWithHeader(farm, one(id), one(1), nothing());
        pauseFor(1 hours);
        bytes memory why = abi.encodeWithSelector(TenantLots.IsPaused.selector, block.timestamp + 1 hours);
        refuses(farm, useCall(id, 1), why);
        refuses(farm, voidCall(header, one(id), one(1), nothing()), why);
        refuses(farm, abi.encodeCall(TenantLots.amendEvent, (header.eventId, withEvent())), why);
        refuses(farm, offerCall(id, mill), why);
        refuses(mill, acceptCall(no, offered), why);
        refuses(farm, retireCall(id, ALL, SOLD), why);
        refuses(farm, transferCall(farm, mill, id), why);
    }

    function test_aPauseLeavesWhatMakesSafe() public {
        uint256 id = mint(farm, 10);
        uint256 toReject = mint(farm, 10);
        uint256 toCancel = mint(farm, 10);
        uint256 no = offer(farm, two(toReject, toCancel), mill);
        unpack(farm, pack(farm, id));
        pauseFor(1 hours);
        reject(mill, no, toReject);
        cancel(farm, no, toCancel);
        recall(id);
        liftRecall(id);
        lots.settle(one(id));
        approveAll(farm, outsider, false);
        grant(mill, 0);
        proposeWallet(farm, farm, address(0xFB));
        vm.prank(farm);
        lots.vetoWallet();
        equal(lots.custodianOf(toReject), farm, "all of it went through");
    }

    function test_aPauseEndsByItselfOrEarly() public {
        uint256 id = mint(farm, 10);
        pauseFor(30 days);
        vm.warp(block.timestamp + 30 days - 1);
        refuses(farm, useCall(id, 1), abi.encodeWithSelector(TenantLots.IsPaused.selector, block.timestamp + 1));
        vm.warp(block.timestamp + 1);
        use(farm, id, 1);
        pauseFor(30 days);
        pauseFor(0);
        use(farm, id, 1);
        equal(remaining(id), 8, "used twice");
    }

    function test_aPauseIsAtMostThirtyDays() public {
        bytes memory call = abi.encodeCall(TenantLots.pause, (block.timestamp + 30 days + 1));
        refuses(admin, call, abi.encodeWithSelector(TenantLots.PauseTooLong.selector, block.timestamp + 30 days));
    }
}
