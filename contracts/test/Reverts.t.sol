// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantRegistry} from "../src/TenantRegistry.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {vm} from "./support/Vm.sol";

/// Every refusal of both contracts, with its exact data. A new error or a new `revert` in the sources fails this test until it has a row.
contract RevertsTest is TenantTest {
    /// Errors that only come with the libraries and that these contracts cannot reach.
    string[2] private unreachable = [
        "FailedDeployment", // a clone's salt is unique for tenant and generation
        "InsufficientBalance" // clones are made without value
    ];
    mapping(string name => uint256) private rows;

    function test_everyRevertOfBothContractsIsReached() public {
        initialisation();
        recording();
        using_();
        packing();
        correcting();
        handingOver();
        handingOverParts();
        retiring();
        recalling();
        administering();
        movingWallets();
        erc721();
        theRegistry();
        everyErrorHasRows();
    }

    function initialisation() private {
        TenantLots fresh_ = TenantLots(clone(registry.implementationOf(1)));
        row(address(fresh_), "InvalidShape()", "", admin, abi.encodeCall(fresh_.initialize, ("t", "T", admin, 0)));
        row(address(fresh_), "InvalidShape()", "", admin, abi.encodeCall(fresh_.initialize, ("t", "T", admin, (1 << 47) + 1)));
        bytes memory withoutAdmin = abi.encodeCall(fresh_.initialize, ("t", "T", address(0), 1));
        row(address(fresh_), "InvalidAddress(address)", abi.encode(address(0)), admin, withoutAdmin);
        row("AlreadyInitialized()", "", admin, abi.encodeCall(lots.initialize, ("t", "T", admin, 1)));
    }

    function recording() private {
        TenantLots.Output[] memory tooMany = new TenantLots.Output[](201);
        TenantLots.Output[] memory o = output(farm, 5);
        row("TooMany(uint256,uint256)", abi.encode(501, 500), farm, recordCall(many(501), many(501), nothing(), 0));
        row("TooMany(uint256,uint256)", abi.encode(201, 200), farm, mintCall(tooMany));
        row("InvalidShape()", "", farm, mintCall(nothing()));
        row("InvalidShape()", "", farm, recordCall(one(1), one(1), o, 1));
        row("InvalidMode(uint256)", abi.encode(3), farm, recordCall(one(1), none(), o, 3));
        row("NotAuthorized(address,bytes32)", abi.encode(outsider, PROCESS), outsider, mintCall(o));
        row("InvalidShape()", "", farm, abi.encodeCall(lots.recordEvent, (0, PROCESS, none(), none(), o, 0, "content")));
        bytes32 eventId = recordWithHeader(farm, none(), none(), o).eventId;
        bytes memory again = abi.encodeCall(lots.recordEvent, (eventId, PROCESS, none(), none(), output(farm, 1), 0, "content"));
        row("EventExists(bytes32)", abi.encode(eventId), farm, again);
        row("TlcTaken(bytes32,uint256)", abi.encode(o[0].tlcHash, lots.tokenOfTlc(o[0].tlcHash)), farm, mintCall(o));
        row("InvalidAddress(address)", abi.encode(address(0)), farm, mintCall(output(address(0), 1)));
        row("InvalidAddress(address)", abi.encode(lots), farm, mintCall(output(address(lots), 1)));
    }

    function using_() private {
        uint256 id = mint(farm, 10);
        row("InvalidShape()", "", farm, recordCall(one(id), none(), nothing(), 0));
        row("NotAscending(uint256)", abi.encode(id), farm, recordCall(two(id, id), two(1, 1), nothing(), 0));
        row("UnknownLot(uint256)", abi.encode(999), farm, useCall(999, 0));
        row("UnknownLot(uint256)", abi.encode(999), farm, useCall(999, 1));
        row("NotCustodian(uint256,address)", abi.encode(id, mill), mill, useCall(id, 1));
        row("OverConsumption(uint256,uint256,uint256)", abi.encode(id, 10, 11), farm, useCall(id, 11));
        uint256 uncounted = mint(farm, 0);
        row("Uncounted(uint256)", abi.encode(uncounted), farm, useCall(uncounted, 1));
        uint256 box = pack(farm, uncounted);
        row("IsContainer(uint256)", abi.encode(box), farm, useCall(box, ALL));
        row("LotContained(uint256,uint256)", abi.encode(uncounted, box), farm, useCall(uncounted, ALL));
        use(farm, id, ALL);
        row("LotNotActive(uint256,uint256)", abi.encode(id, CONSUMED), farm, useCall(id, 1));
        recall(id);
        row("LotIsRecalled(uint256)", abi.encode(id), farm, useCall(id, 1));
    }

    function packing() private {
        uint256 id = mint(farm, 10);
        uint256 other = mint(mill, 10);
        row("InvalidShape()", "", farm, recordCall(one(id), none(), nothing(), 1));
        row("InvalidShape()", "", farm, recordCall(none(), none(), output(farm, 0), 1));
        row("InvalidQuantity()", "", farm, recordCall(one(id), none(), output(farm, 1), 1));
        row("NotAscending(uint256)", abi.encode(id), farm, recordCall(two(id, id), none(), output(farm, 0), 1));
        row("NotCustodian(uint256,address)", abi.encode(id, mill), mill, packCall(id, mill));
        row("MixedCustody(uint256)", abi.encode(id), farm, packCall(id, mill));
        row("MixedCustody(uint256)", abi.encode(other), farm, recordCall(two(id, other), none(), output(farm, 0), 1));
        row("InvalidShape()", "", farm, recordCall(two(id, other), none(), nothing(), 2));
        row("InvalidShape()", "", farm, recordCall(one(id), none(), output(farm, 0), 2));
        row("NotContainer(uint256)", abi.encode(id), farm, unpackCall(id));
        uint256 box = pack(farm, id);
        row("NotCustodian(uint256,address)", abi.encode(box, mill), mill, unpackCall(box));
        unpack(farm, box);
        row("LotNotActive(uint256,uint256)", abi.encode(box, RETIRED), farm, unpackCall(box));
        for (uint256 i; i < 8; ++i) {
            id = pack(farm, id);
        }
        row("NestingTooDeep(uint256)", abi.encode(id), farm, packCall(id, farm));
    }

    function correcting() private {
        uint256 id = mint(farm, 10);
        TenantLots.Output[] memory o = output(farm, 4);
        TenantLots.Header memory h = recordWithHeader(farm, one(id), one(4), o);
        bytes memory call = voidCall(h, one(id), one(4), o);
        row("NotAuthorized(address,bytes32)", abi.encode(outsider, PROCESS), outsider, call);
        row("NotCustodian(uint256,address)", abi.encode(h.firstOutputId, mill), mill, call);
        row("UnknownEvent(bytes32)", abi.encode(h.eventId), farm, voidCall(h, one(id), one(5), o));
        use(farm, h.firstOutputId, 1);
        row("LotTouched(uint256)", abi.encode(h.firstOutputId), farm, call);
        h = recordWithHeader(farm, one(h.firstOutputId), one(1), nothing());
        retire(farm, h.firstOutputId - 1, ALL, SOLD);
        call = voidCall(h, one(h.firstOutputId - 1), one(1), nothing());
        row("LotNotActive(uint256,uint256)", abi.encode(h.firstOutputId - 1, RETIRED), farm, call);
        h.mode = 1;
        row("InvalidMode(uint256)", abi.encode(1), farm, voidCall(h, one(id), one(1), nothing()));
        h = recordWithHeader(lab, one(id), one(0), nothing());
        call = voidCall(h, one(id), one(0), nothing());
        row("NotAuthorized(address,bytes32)", abi.encode(farm, PROCESS), farm, call);
        row("UnknownEvent(bytes32)", abi.encode(bytes32("none")), farm, abi.encodeCall(lots.amendEvent, ("none", withEvent())));
        row("InvalidShape()", "", farm, abi.encodeCall(lots.amendEvent, (h.eventId, noEvent)));
    }

    function handingOver() private {
        uint256 id = mint(farm, 10);
        uint256 other = mint(mill, 10);
        row("InvalidShape()", "", farm, offerCall(none(), mill));
        row("TooMany(uint256,uint256)", abi.encode(101, 100), farm, offerCall(many(101), mill));
        row("UnknownLot(uint256)", abi.encode(999), farm, offerCall(999, mill));
        row("NotCustodian(uint256,address)", abi.encode(id, mill), mill, offerCall(id, shop));
        row("InvalidAddress(address)", abi.encode(farm), farm, offerCall(id, farm));
        row("InvalidAddress(address)", abi.encode(lots), farm, offerCall(id, address(lots)));
        row("MixedCustody(uint256)", abi.encode(other), farm, offerCall(two(id, other), shop));
        uint256 no = offer(farm, id, mill);
        row("LotNotActive(uint256,uint256)", abi.encode(id, IN_TRANSIT), farm, offerCall(id, shop));
        row("NotCustodian(uint256,address)", abi.encode(id, shop), shop, acceptCall(no, id));
        row("NotCustodian(uint256,address)", abi.encode(id, mill), mill, cancelCall(no, id));
        row("NoOffer(uint256,uint256)", abi.encode(id, no + 1), mill, acceptCall(no + 1, id));
        row("NoOffer(uint256,uint256)", abi.encode(other, no), mill, rejectCall(no, other));
        bytes memory both = abi.encodeCall(lots.cancelCustody, (no, two(id, other), WHY));
        row("NoOffer(uint256,uint256)", abi.encode(other, no), farm, both);
        recall(id);
        row("LotIsRecalled(uint256)", abi.encode(id), mill, acceptCall(no, id));
        reject(mill, no, id);
        row("LotIsRecalled(uint256)", abi.encode(id), farm, offerCall(id, mill));
    }

    function handingOverParts() private {
        uint256 id = mint(farm, 10);
        row("InvalidShape()", "", farm, abi.encodeCall(lots.offerParts, (one(id), none(), mill, noEvent)));
        row("InvalidShape()", "", farm, abi.encodeCall(lots.offerParts, (none(), none(), mill, noEvent)));
        row("NotCustodian(uint256,address)", abi.encode(id, mill), mill, offerPartCall(id, 4, shop));
        row("OverConsumption(uint256,uint256,uint256)", abi.encode(id, 10, 11), farm, offerPartCall(id, 11, mill));
        row("OverConsumption(uint256,uint256,uint256)", abi.encode(id, 10, 0), farm, offerPartCall(id, 0, mill));
        uint256 uncounted = mint(farm, 0);
        row("Uncounted(uint256)", abi.encode(uncounted), farm, offerPartCall(uncounted, 1, mill));
        uint256 box = pack(farm, uncounted);
        row("IsContainer(uint256)", abi.encode(box), farm, offerPartCall(box, 1, mill));
        row("LotContained(uint256,uint256)", abi.encode(uncounted, box), farm, offerPartCall(uncounted, 1, mill));
        uint256 no = offer(farm, id, mill);
        row("InvalidShape()", "", mill, abi.encodeCall(lots.acceptParts, (no, one(id), none(), 1, noEvent)));
        row("InvalidReason(uint256)", abi.encode(0), mill, acceptPartCall(no, id, 4, 0));
        row("InvalidReason(uint256)", abi.encode(4), mill, acceptPartCall(no, id, 4, 4));
        row("InvalidReason(uint256)", abi.encode(1), mill, acceptPartCall(no, id, ALL, 1));
        row("OverConsumption(uint256,uint256,uint256)", abi.encode(id, 10, 0), mill, acceptPartCall(no, id, 0, 3));
        row("NoOffer(uint256,uint256)", abi.encode(id, no + 1), mill, acceptPartCall(no + 1, id, 4, 1));
        recall(id);
        row("LotIsRecalled(uint256)", abi.encode(id), mill, acceptPartCall(no, id, 4, 1));
    }

    function retiring() private {
        uint256 id = mint(farm, 10);
        row("InvalidShape()", "", farm, abi.encodeCall(lots.retire, (one(id), none(), SOLD, noEvent)));
        for (uint8 reason; reason < 12; ++reason) {
            if (reason != 0 && reason < 10 && reason != VOIDED && reason != UNPACKED) continue;
            row("InvalidReason(uint256)", abi.encode(reason), farm, retireCall(id, ALL, reason));
        }
        row("NotCustodian(uint256,address)", abi.encode(id, mill), mill, retireCall(id, ALL, SOLD));
        row("OverConsumption(uint256,uint256,uint256)", abi.encode(id, 10, 11), farm, retireCall(id, 11, SOLD));
        row("OverConsumption(uint256,uint256,uint256)", abi.encode(id, 10, 0), farm, retireCall(id, 0, SOLD));
        uint256 uncounted = mint(farm, 0);
        row("Uncounted(uint256)", abi.encode(uncounted), farm, retireCall(uncounted, 1, SOLD));
        recall(id);
        row("LotIsRecalled(uint256)", abi.encode(id), farm, retireCall(id, ALL, SOLD));
        retire(farm, id, ALL, DESTROYED);
        row("LotNotActive(uint256,uint256)", abi.encode(id, RETIRED), farm, retireCall(id, ALL, DISPOSED));
    }

    function recalling() private {
        uint256 id = mint(farm, 10);
        row("NotAuthorized(address,bytes32)", abi.encode(farm, 0), farm, abi.encodeCall(lots.recall, (id, WHY)));
        row("UnknownLot(uint256)", abi.encode(999), admin, abi.encodeCall(lots.recall, (999, WHY)));
        row("TooMany(uint256,uint256)", abi.encode(501, 500), admin, abi.encodeCall(lots.recallMany, (many(501), WHY)));
        row("NotRecalled(uint256)", abi.encode(id), admin, abi.encodeCall(lots.liftRecall, (one(id), WHY)));
        recall(id);
        row("LotIsRecalled(uint256)", abi.encode(id), admin, abi.encodeCall(lots.recall, (id, WHY)));
    }

    function administering() private {
        row("NotAuthorized(address,bytes32)", abi.encode(farm, 0), farm, abi.encodeCall(lots.setRoles, (farm, 1)));
        row("LastAdmin()", "", admin, abi.encodeCall(lots.setRoles, (admin, 2)));
        row("InvalidAddress(address)", abi.encode(address(0)), admin, abi.encodeCall(lots.setRoles, (address(0), 2)));
        uint256 limit = block.timestamp + 30 days;
        row("PauseTooLong(uint256)", abi.encode(limit), admin, abi.encodeCall(lots.pause, (limit + 1)));
        pauseFor(1 days);
        row("IsPaused(uint256)", abi.encode(block.timestamp + 1 days), farm, mintCall(output(farm, 1)));
        pauseFor(0);
    }

    function movingWallets() private {
        string memory invalid = "InvalidAddress(address)";
        address next = address(0xF1);
        mint(farm, 1);
        row("NotAuthorized(address,bytes32)", abi.encode(mill, 0), mill, abi.encodeCall(lots.proposeWallet, (farm, next)));
        row(invalid, abi.encode(outsider), outsider, abi.encodeCall(lots.proposeWallet, (outsider, next)));
        row(invalid, abi.encode(address(0)), farm, abi.encodeCall(lots.proposeWallet, (farm, address(0))));
        row(invalid, abi.encode(lots), farm, abi.encodeCall(lots.proposeWallet, (farm, address(lots))));
        row(invalid, abi.encode(mill), farm, abi.encodeCall(lots.proposeWallet, (farm, mill)));
        proposeWallet(farm, farm, next);
        row("NotAuthorized(address,bytes32)", abi.encode(mill, 0), mill, abi.encodeCall(lots.acceptWallet, (farm)));
        offer(mill, mint(mill, 1), next);
        // Rows before this one left recalled lots with the farm.
        bytes memory held = abi.encode(farm, lots.barredHeld(lots.accountOf(farm).party));
        row("HoldsRecalled(address,uint256)", held, next, abi.encodeCall(lots.acceptWallet, (farm)));
        grant(next, RETURNS);
        row(invalid, abi.encode(next), next, abi.encodeCall(lots.acceptWallet, (farm)));
        proposeWallet(admin, farm, address(0xF2));
        row(invalid, abi.encode(0xF2), farm, mintCall(output(address(0xF2), 1)));
        row("NotAuthorized(address,bytes32)", abi.encode(0xF2, 0), address(0xF2), abi.encodeCall(lots.acceptWallet, (farm)));
    }

    function erc721() private {
        uint256 id = mint(farm, 1);
        row("UnknownLot(uint256)", abi.encode(999), farm, abi.encodeCall(lots.ownerOf, (999)));
        row("UnknownLot(uint256)", abi.encode(999), farm, abi.encodeCall(lots.custodianOf, (999)));
        row("UnknownLot(uint256)", abi.encode(999), farm, abi.encodeCall(lots.lotOf, (999)));
        row("InvalidAddress(address)", abi.encode(address(0)), farm, abi.encodeCall(lots.balanceOf, (address(0))));
        row("NotCustodian(uint256,address)", abi.encode(id, mill), mill, abi.encodeCall(lots.approve, (mill, id)));
        row("NotCustodian(uint256,address)", abi.encode(id, mill), farm, transferCall(mill, shop, id));
        row("NotCustodian(uint256,address)", abi.encode(id, mill), mill, transferCall(farm, mill, id));
        row("NoConsent(address)", abi.encode(shop), farm, transferCall(farm, shop, id));
        directReceipt(address(this), true);
        bytes memory toADeafOne = abi.encodeWithSignature("safeTransferFrom(address,address,uint256)", farm, this, id);
        row("ERC721InvalidReceiver(address)", abi.encode(this), farm, toADeafOne);
    }

    function theRegistry() private {
        address r = address(registry);
        address me = address(this);
        bytes memory create = abi.encodeCall(registry.createTenant, ("tenant", "Tenant", admin));
        bytes memory succeed = abi.encodeCall(registry.createSuccessor, ("nobody", "Nobody", admin, 1));
        row(r, "TenantExists(bytes32)", abi.encode(bytes32("tenant")), me, create);
        row(r, "UnknownTenant(bytes32)", abi.encode(bytes32("nobody")), me, succeed);
        row(r, "BadVersion(uint32)", abi.encode(2), me, abi.encodeCall(registry.publish, (address(0x1))));
        row(r, "OwnableUnauthorizedAccount(address)", abi.encode(outsider), outsider, create);
        row(r, "OwnableInvalidOwner(address)", abi.encode(address(0)), me, abi.encodeCall(this.registryOf, (address(0))));
        uint256 least = lots.nextTokenId() + (1 << 32);
        bytes memory tooLow = abi.encodeCall(registry.createSuccessor, ("tenant", "Tenant", admin, uint48(least - 1)));
        row(r, "FirstTokenIdTooLow(uint48,uint48)", abi.encode(least - 1, least), me, tooLow);
        row(address(new TenantRegistry(me)), "BadVersion(uint32)", abi.encode(0), me, create);
    }

    function registryOf(address owner) external returns (address) {
        return address(new TenantRegistry(owner));
    }

    // --------------------------------------------------------------------------------------------------- the table

    function row(string memory signature, bytes memory args, address by, bytes memory call) private {
        row(address(lots), signature, args, by, call);
    }

    function row(address target, string memory signature, bytes memory args, address by, bytes memory call) private {
        if (bytes4(call) == this.registryOf.selector) target = address(this);
        refuses(target, by, call, abi.encodePacked(bytes4(keccak256(bytes(signature))), args));
        ++rows[vm.split(signature, "(")[0]];
    }

    /// For each error of the committed ABIs a row, and as many rows as the sources have revert statements with it.
    function everyErrorHasRows() private view {
        string memory sources = string.concat(vm.readFile("src/TenantLots.sol"), vm.readFile("src/TenantRegistry.sol"));
        require(vm.split(sources, " require(").length == 1, "a revert without a name");
        // The errors of PasskeyAccount have rows in PasskeyReverts.t.sol.
        string memory abis = vm.split(vm.readFile("generated/abi.ts"), "passkeyAccountAbi")[0];
        string[] memory upToErrors = vm.split(abis, "type: 'error'");
        require(upToErrors.length > 30, "no errors in the ABIs");
        for (uint256 i; i < upToErrors.length - 1; ++i) {
            string memory name = vm.split(lastOf(vm.split(upToErrors[i], "name: '")), "'")[0];
            if (isUnreachable(name)) continue;
            require(rows[name] != 0, string.concat(name, " has no row"));
            uint256 statements = vm.split(sources, string.concat("revert ", name, "(")).length - 1;
            require(rows[name] >= statements, string.concat(name, " has fewer rows than revert statements"));
        }
    }

    function lastOf(string[] memory parts) private pure returns (string memory) {
        return parts[parts.length - 1];
    }

    function isUnreachable(string memory name) private view returns (bool) {
        for (uint256 i; i < unreachable.length; ++i) {
            if (keccak256(bytes(unreachable[i])) == keccak256(bytes(name))) return true;
        }
        return false;
    }

    function clone(address implementation) private returns (address) {
        bytes memory code =
            abi.encodePacked(hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3");
        address made;
        assembly {
            made := create(0, add(code, 32), mload(code))
        }
        return made;
    }
}
