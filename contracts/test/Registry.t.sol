// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {TenantLots} from "../src/TenantLots.sol";
import {TenantRegistry} from "../src/TenantRegistry.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract RegistryTest is TenantTest {
    uint48 private constant GAP = 1 << 32;

    function test_aTenantGetsACloneOfItsOwn() public {
        vm.recordLogs();
        address other = registry.createTenant(keccak256("acme"), "Acme", mill);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        require(other != address(lots), "its own contract");
        equal(TenantLots(other).tenantId(), keccak256("acme"), "tenant id");
        equal(keccak256(bytes(TenantLots(other).name())), keccak256("Acme"), "name");
        equal(TenantLots(other).accountOf(mill).roles, 1 | OPERATOR_ALL | RECALLER, "admin");
        equal(logs[0].topics[0], TenantRegistry.TenantCreated.selector, "TenantCreated");
        equal(logs[0].topics[1], keccak256("acme"), "of the tenant");
        equal(logs[0].topics[2], bytes32(uint256(uint160(other))), "at its address");
        bytes memory data = abi.encode(uint32(1), mill, address(0), "Acme");
        equal(keccak256(logs[0].data), keccak256(data), "version, admin, predecessor, name");
    }

    function test_onlyTheOwnerPublishesAndCreates() public {
        bytes memory why = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, outsider);
        refuses(address(registry), outsider, abi.encodeCall(TenantRegistry.publish, (address(lots))), why);
        refuses(address(registry), outsider, createCall("acme"), why);
        refuses(address(registry), outsider, successorCall("tenant", GAP + 1), why);
    }

    function test_anImplementationIsNobodysTenant() public {
        TenantLots implementation = TenantLots(registry.implementationOf(1));
        bytes memory call = abi.encodeCall(TenantLots.initialize, ("tenant", "Tenant", outsider, 1));
        bytes memory why = abi.encodeWithSelector(TenantLots.AlreadyInitialized.selector);
        refuses(address(implementation), outsider, call, why);
        refuses(address(lots), outsider, call, why);
    }

    function test_newTenantsGetTheLatestVersionAndOldOnesKeepTheirs() public {
        address second = address(new TenantLots());
        equal(registry.publish(second), 2, "version");
        equal(registry.implementationOf(2), second, "implementation");
        registry.createTenant("acme", "Acme", mill);
        (, uint32 version,) = registry.tenants("acme");
        equal(version, 2, "new");
        (, version,) = registry.tenants("tenant");
        equal(version, 1, "old");
    }

    function test_aSuccessorCountsOnAndThePredecessorStays() public {
        mint(farm, 1);
        mint(farm, 1);
        address successor = registry.createSuccessor("tenant", "Tenant", admin, GAP + 3);
        equal(TenantLots(successor).nextTokenId(), GAP + 3, "first id");
        (address current,, uint32 generation) = registry.tenants("tenant");
        equal(current, successor, "current");
        equal(generation, 1, "generation");
        equal(mint(farm, 1), 3, "the predecessor goes on");
    }

    function test_aSuccessorsIdsCannotMeetItsPredecessors() public {
        mint(farm, 1);
        bytes memory why = abi.encodeWithSelector(TenantRegistry.FirstTokenIdTooLow.selector, GAP + 1, GAP + 2);
        refuses(address(registry), address(this), successorCall("tenant", GAP + 1), why);
        bytes memory tooHigh = successorCall("tenant", (1 << 47) + 1);
        refuses(address(registry), address(this), tooHigh, abi.encodeWithSelector(TenantLots.InvalidShape.selector));
    }

    function createCall(bytes32 tenantId) private pure returns (bytes memory) {
        return abi.encodeCall(TenantRegistry.createTenant, (tenantId, "Name", admin));
    }

    function successorCall(bytes32 tenantId, uint48 firstTokenId) private pure returns (bytes memory) {
        return abi.encodeCall(TenantRegistry.createSuccessor, (tenantId, "Name", admin, firstTokenId));
    }
}
